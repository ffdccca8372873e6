package main

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
)

// typed writes a definition through the typed client, watches it become established, and reads back every field.
func typed(ctx context.Context, config *rest.Config) error {
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return err
	}
	api := client.ApiextensionsV1().CustomResourceDefinitions()
	minimum, keep := 1.0, true
	wanted := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "pans.bakery.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "bakery.example.com", Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "pans", Kind: "Pan"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{
						"width": {Type: "integer", Minimum: &minimum, Default: &apiextensionsv1.JSON{Raw: []byte("30")}},
						"lids": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{
							Schema: &apiextensionsv1.JSONSchemaProps{Type: "string", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"glass"`)}}},
						}},
						"marks": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{
							Allows: true, Schema: &apiextensionsv1.JSONSchemaProps{Type: "boolean"},
						}},
						"rest": {Type: "object", XPreserveUnknownFields: &keep},
					},
				}},
			}},
		},
	}
	watch, err := api.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + wanted.Name})
	if err != nil {
		return err
	}
	defer watch.Stop()
	if _, err := api.Create(ctx, wanted, metav1.CreateOptions{}); err != nil {
		return err
	}
	for event := range watch.ResultChan() {
		if found, is := event.Object.(*apiextensionsv1.CustomResourceDefinition); is && isEstablished(found) {
			break
		}
	}
	found, err := api.Get(ctx, wanted.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if !isEstablished(found) {
		return fmt.Errorf("the watch ended before the definition was established: %v", found.Status)
	}
	schema := found.Spec.Versions[0].Schema.OpenAPIV3Schema
	width, lids, marks := schema.Properties["width"], schema.Properties["lids"], schema.Properties["marks"]
	if string(width.Default.Raw) != "30" || *width.Minimum != 1 || string(lids.Items.Schema.Enum[0].Raw) != `"glass"` ||
		marks.AdditionalProperties.Schema.Type != "boolean" || !*schema.Properties["rest"].XPreserveUnknownFields {
		return fmt.Errorf("the schema came back as %v", schema)
	}
	if found.Spec.Names.Singular != "pan" || found.Spec.Names.ListKind != "PanList" || found.Status.StoredVersions[0] != "v1" {
		return fmt.Errorf("names %v, stored versions %v", found.Spec.Names, found.Status.StoredVersions)
	}
	found.Spec.Names.ShortNames = []string{"pn"}
	if _, err := api.Update(ctx, found, metav1.UpdateOptions{}); err != nil {
		return err
	}
	wanted.Name = "pots.bakery.example.com"
	if _, err := api.Create(ctx, wanted, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		return fmt.Errorf("wanted a wrong name refused, got %v", err)
	}
	if err := api.Delete(ctx, found.Name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	for event := range watch.ResultChan() {
		if event.Type == apiwatch.Deleted {
			return nil
		}
	}
	return fmt.Errorf("the watch ended before the definition was gone")
}

func isEstablished(definition *apiextensionsv1.CustomResourceDefinition) bool {
	for _, condition := range definition.Status.Conditions {
		if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
			return true
		}
	}
	return false
}
