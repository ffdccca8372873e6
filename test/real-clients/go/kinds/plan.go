package main

import (
	"context"
	"fmt"
	"reflect"
	"sort"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

type namespaceClient = typedcorev1.NamespaceInterface

// unserved has what release 1.30 does not serve: groups, kinds and methods, with the reason. All of them are tried,
// and must not be found.
var unserved = map[string]string{
	"AppsV1beta1":            "removed in 1.16",
	"AppsV1beta2":            "removed in 1.16",
	"ExtensionsV1beta1":      "removed in 1.22",
	"AuthorizationV1beta1":   "removed in 1.22",
	"CertificatesV1beta1":    "removed in 1.22",
	"CoordinationV1beta1":    "removed in 1.22",
	"NetworkingV1beta1":      "removed in 1.22",
	"RbacV1alpha1":           "removed in 1.22",
	"RbacV1beta1":            "removed in 1.22",
	"SchedulingV1alpha1":     "removed in 1.22",
	"SchedulingV1beta1":      "removed in 1.22",
	"ApiextensionsV1beta1":   "removed in 1.22",
	"ApiregistrationV1beta1": "removed in 1.22",
	"NodeV1alpha1":           "removed in 1.23",
	"BatchV1beta1":           "removed in 1.25",
	"DiscoveryV1beta1":       "removed in 1.25",
	"EventsV1beta1":          "removed in 1.25",
	"NodeV1beta1":            "removed in 1.25",
	"AutoscalingV2beta1":     "removed in 1.25",
	"AutoscalingV2beta2":     "removed in 1.26",
	"FlowcontrolV1beta1":     "removed in 1.26",
	"StorageV1beta1":         "removed in 1.27",
	"FlowcontrolV1beta2":     "removed in 1.29",
	"AdmissionregistrationV1beta1.MutatingWebhookConfigurations":   "removed in 1.22",
	"AdmissionregistrationV1beta1.ValidatingWebhookConfigurations": "removed in 1.22",
	"AuthenticationV1beta1.TokenReviews":                           "removed in 1.22",
	"StorageV1alpha1.VolumeAttachments":                            "removed in 1.24",
	"StorageV1alpha1.CSIStorageCapacities":                         "removed in 1.24",
	"PolicyV1beta1.PodDisruptionBudgets":                           "removed in 1.25",
}

// elsewhere has methods that no step uses, with the reason.
var elsewhere = map[string]string{
	"CoreV1.Pods.ProxyGet":           "needs a program behind the pod; test/api/subresources has it",
	"CoreV1.Services.ProxyGet":       "needs a program behind the service; test/api/subresources has it",
	"CoreV1.ComponentStatuses":       "computed, so they can only be read; test/api/kinds has them",
	"CoreV1.Events.GetFieldSelector": "sends nothing; Search uses it",
	"PolicyV1.Evictions":             "a method of Pods uses it",
	"PolicyV1beta1.Evictions":        "a method of Pods uses it",
}

// collection is the typed client of one kind, called by the names of its methods.
type collection struct {
	// name of the group's method and of the kind's, as in AppsV1.Deployments.
	name  string
	value reflect.Value
}

func (c collection) methods() []string {
	var names []string
	for i := 0; i < c.value.Type().NumMethod(); i++ {
		names = append(names, c.value.Type().Method(i).Name)
	}
	return names
}

func (c collection) has(method string) bool {
	_, found := c.value.Type().MethodByName(method)
	return found
}

// parameter returns a new value of the type to which the method's parameter points.
func (c collection) parameter(method string, index int) any {
	found, _ := c.value.Type().MethodByName(method)
	return reflect.New(found.Type.In(index).Elem()).Interface()
}

// call returns the method's result, if it has one besides the error.
func (c collection) call(method string, arguments ...any) (any, error) {
	values := make([]reflect.Value, len(arguments))
	for i, argument := range arguments {
		values[i] = reflect.ValueOf(argument)
	}
	results := c.value.MethodByName(method).Call(values)
	err, _ := results[len(results)-1].Interface().(error)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return results[0].Interface(), nil
}

// answer is call for methods that return an object.
func (c collection) answer(method string, arguments ...any) (object, error) {
	result, err := c.call(method, arguments...)
	if err != nil {
		return nil, err
	}
	return result.(object), nil
}

// object is what all kinds are to this program.
type object interface {
	runtime.Object
	metav1.Object
}

// plan returns a life for each served kind of a client, which both arguments are, in two encodings.
func plan(ctx context.Context, client, other any, samples []sample) (lives []*life, failures []error) {
	others := map[string]collection{}
	for _, one := range collections(other, samples) {
		others[one.name] = one
	}
	for _, one := range collections(client, samples) {
		group, _, _ := strings.Cut(one.name, ".")
		switch {
		case elsewhere[one.name] != "":
		case unserved[group] != "" || unserved[one.name] != "":
			if err := absent(ctx, one); err != nil {
				failures = append(failures, err)
			}
		default:
			kind := one.kind()
			found := sampleOf(kind, samples)
			if found == nil {
				failures = append(failures, fmt.Errorf("%s: there is no sample of %s", one.name, kind))
				continue
			}
			lives = append(lives, &life{sample: found, api: one, other: others[one.name], used: map[string]bool{}})
		}
	}
	return lives, failures
}

// collections walks a client: its methods return groups, and theirs return typed clients.
func collections(client any, samples []sample) (found []collection) {
	all := reflect.ValueOf(client)
	for i := 0; i < all.NumMethod(); i++ {
		name, opens := all.Type().Method(i).Name, all.Method(i).Type()
		if opens.NumIn() != 0 || opens.NumOut() != 1 || !strings.Contains(opens.Out(0).PkgPath(), "/typed/") {
			continue
		}
		group := collection{name, all.Method(i).Call(nil)[0]}
		for _, kinds := range group.methods() {
			if kinds != "RESTClient" {
				found = append(found, group.open(kinds, samples))
			}
		}
	}
	return found
}

// open returns the typed client that a group's method returns, in the namespace of the kind's sample.
func (c collection) open(method string, samples []sample) collection {
	function := c.value.MethodByName(method)
	in := func(namespace string) collection {
		var arguments []reflect.Value
		if function.Type().NumIn() == 1 {
			arguments = append(arguments, reflect.ValueOf(namespace))
		}
		return collection{c.name + "." + method, function.Call(arguments)[0]}
	}
	one := in("default")
	if !one.has("Create") {
		return one
	}
	if found := sampleOf(one.kind(), samples); found != nil {
		return in(found.Namespace)
	}
	return one
}

// kind of the objects that the typed client creates.
func (c collection) kind() schema.GroupVersionKind {
	kinds, _, err := scheme.Scheme.ObjectKinds(c.parameter("Create", 1).(runtime.Object))
	if err != nil {
		panic(err)
	}
	return kinds[0]
}

func sampleOf(kind schema.GroupVersionKind, samples []sample) *sample {
	for i, one := range samples {
		if one.APIVersion == kind.GroupVersion().String() && one.Kind == kind.Kind {
			return &samples[i]
		}
	}
	return nil
}

// absent fails if the server knows the kind after all.
func absent(ctx context.Context, one collection) (err error) {
	switch {
	case one.has("List"):
		_, err = one.call("List", ctx, metav1.ListOptions{})
	case one.has("Create"):
		_, err = one.call("Create", ctx, one.parameter("Create", 1), metav1.CreateOptions{})
	default:
		return nil
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("%s is not as unserved says: %v", one.name, err)
	}
	return nil
}

// unused are the methods for which there was no step.
func (l *life) unused() (names []string) {
	for _, name := range l.api.methods() {
		if full := l.api.name + "." + name; !l.used[name] && elsewhere[full] == "" && unserved[full] == "" {
			names = append(names, name)
		}
	}
	return names
}

func (l *life) line() string {
	var names []string
	for name := range l.used {
		names = append(names, name)
	}
	sort.Strings(names)
	return fmt.Sprintf("%s %s: %s", l.sample.APIVersion, l.sample.Kind, strings.Join(names, " "))
}
