// Package dynamic uses custom objects as tools do that know no kind in advance: discovery, a REST mapper, the dynamic
// client, its informers and listers. It is compiled with more than one release of client-go.
package dynamic

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

const patience = time.Minute

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	ovenKind    = schema.GroupKind{Group: "bakery.example.com", Kind: "Oven"}
)

// Main prints a line for each part that worked, or the error and exits with 1.
func Main() {
	kubeconfig := flag.String("kubeconfig", "", "file with the server's address and a credential")
	definition := flag.String("definition", "", "file with the definition of ovens")
	flag.Parse()
	// The libraries log here what a server does not know yet.
	log.SetOutput(io.Discard)
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	if err := run(ctx, *kubeconfig, *definition); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig, definition string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 1000, 1000
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	name, err := define(ctx, client, definition)
	if err != nil {
		return fmt.Errorf("definition: %w", err)
	}
	fmt.Println("definition works")
	mapping, err := mapped(config)
	if err != nil {
		return fmt.Errorf("REST mapper: %w", err)
	}
	fmt.Println("REST mapper works")
	parts := []struct {
		name string
		do   func(context.Context, dynamic.Interface, schema.GroupVersionResource) error
	}{{"objects", objects}, {"sub-resources", subresources}, {"pages", pages}, {"informer", informer}}
	for _, part := range parts {
		if err := part.do(ctx, client, mapping.Resource); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Println(part.name, "works")
	}
	return removed(ctx, client, name)
}

// define creates the definition of a file and waits until its kind is served.
func define(ctx context.Context, client dynamic.Interface, file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	definition := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &definition.Object); err != nil {
		return "", err
	}
	if _, err := client.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	return definition.GetName(), wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		found, err := client.Resource(definitions).Get(ctx, definition.GetName(), metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		// Null until the first of them is known, which is no list.
		conditions, _, _ := unstructured.NestedSlice(found.Object, "status", "conditions")
		for _, condition := range conditions {
			fields, is := condition.(map[string]any)
			if is && fields["type"] == "Established" && fields["status"] == "True" {
				return true, nil
			}
		}
		return false, nil
	})
}

// mapped finds the preferred version of ovens, also through a cache that was filled before they were defined.
func mapped(config *rest.Config) (*meta.RESTMapping, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	if _, err := mapper.RESTMapping(schema.GroupKind{Kind: "ConfigMap"}); err != nil {
		return nil, err
	}
	mapping, err := mapper.RESTMapping(ovenKind)
	if err != nil {
		return nil, err
	}
	if mapping.Resource.Version != "v1" || mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return nil, fmt.Errorf("ovens are %v of scope %v", mapping.Resource, mapping.Scope.Name())
	}
	short, err := restmapper.NewShortcutExpander(mapper, client, func(string) {}).KindFor(schema.GroupVersionResource{Resource: "ov"})
	if err != nil || short.Kind != "Oven" {
		return nil, fmt.Errorf("the short name is of %v (%v)", short, err)
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			names[list.GroupVersion+"/"+resource.Name] = true
		}
	}
	for _, name := range []string{"v1/ovens", "v1/ovens/status", "v1/ovens/scale", "v1beta1/ovens", "v1beta1/ovens/status"} {
		if !names["bakery.example.com/"+name] {
			return nil, fmt.Errorf("%s is not among what discovery lists", name)
		}
	}
	return mapping, nil
}

// removed deletes the definition, and waits until its objects and it are gone.
func removed(ctx context.Context, client dynamic.Interface, name string) error {
	if err := client.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		return isGone(client.Resource(definitions).Get(ctx, name, metav1.GetOptions{}))
	})
}
