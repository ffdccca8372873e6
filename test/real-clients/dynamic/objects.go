package dynamic

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamiclister"
	"k8s.io/client-go/tools/cache"
)

const namespace = "default"

func oven(name string, spec map[string]any) *unstructured.Unstructured {
	fields := map[string]any{"degrees": int64(200)}
	for key, value := range spec {
		fields[key] = value
	}
	object := &unstructured.Unstructured{Object: map[string]any{"spec": fields}}
	object.SetAPIVersion("bakery.example.com/v1")
	object.SetKind("Oven")
	object.SetName(name)
	return object
}

func isGone(_ *unstructured.Unstructured, err error) (bool, error) {
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}

// objects creates, updates, patches, applies and refuses.
func objects(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource) error {
	api := client.Resource(resource).Namespace(namespace)
	made, err := api.Create(ctx, oven("one", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if size, _, _ := unstructured.NestedString(made.Object, "spec", "size"); size != "Small" {
		return fmt.Errorf("the default of size is %q", size)
	}
	stale := made.DeepCopy()
	_ = unstructured.SetNestedField(made.Object, int64(210), "spec", "degrees")
	updated, err := api.Update(ctx, made, metav1.UpdateOptions{})
	if err != nil || updated.GetGeneration() != 2 {
		return fmt.Errorf("generation %d after an update (%v)", updated.GetGeneration(), err)
	}
	if _, err := api.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("wanted a conflict for a stale version, got %v", err)
	}
	if _, err := api.Patch(ctx, "one", types.MergePatchType, []byte(`{"spec":{"door":"40%"}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	if _, err := api.Patch(ctx, "one", types.StrategicMergePatchType, []byte(`{"spec":{}}`), metav1.PatchOptions{}); !apierrors.IsUnsupportedMediaType(err) {
		return fmt.Errorf("wanted a strategic patch refused, got %v", err)
	}
	tray := func(name string) map[string]any {
		return map[string]any{"trays": []any{map[string]any{"name": name}}}
	}
	for _, manager := range []string{"top", "bottom"} {
		if _, err := api.Apply(ctx, "two", oven("two", tray(manager)), metav1.ApplyOptions{FieldManager: manager}); err != nil {
			return err
		}
	}
	applied, err := api.Get(ctx, "two", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if trays, _, _ := unstructured.NestedSlice(applied.Object, "spec", "trays"); len(trays) != 2 {
		return fmt.Errorf("two managers applied one tray each, there are %v", trays)
	}
	_, err = api.Create(ctx, oven("hot", map[string]any{"degrees": int64(290)}), metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "an oven of size Small does not get that hot") {
		return fmt.Errorf("wanted the rule's refusal, got %v", err)
	}
	_, err = api.Create(ctx, oven("odd", map[string]any{"degrese": int64(1)}), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), `unknown field "spec.degrese"`) {
		return fmt.Errorf("wanted the unknown field refused, got %v", err)
	}
	return nil
}

// subresources writes the status and the scale of one object.
func subresources(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource) error {
	api := client.Resource(resource).Namespace(namespace)
	found, err := api.Get(ctx, "one", metav1.GetOptions{})
	if err != nil {
		return err
	}
	_ = unstructured.SetNestedMap(found.Object, map[string]any{"phase": "Hot", "replicas": int64(1), "selector": "a=b"}, "status")
	reported, err := api.UpdateStatus(ctx, found, metav1.UpdateOptions{})
	if err != nil || reported.GetGeneration() != found.GetGeneration() {
		return fmt.Errorf("generation %d after a status (%v)", reported.GetGeneration(), err)
	}
	scale, err := api.Get(ctx, "one", metav1.GetOptions{}, "scale")
	if err != nil {
		return err
	}
	_ = unstructured.SetNestedField(scale.Object, int64(5), "spec", "replicas")
	if _, err := api.Update(ctx, scale, metav1.UpdateOptions{}, "scale"); err != nil {
		return err
	}
	scaled, err := api.Get(ctx, "one", metav1.GetOptions{})
	if err != nil {
		return err
	}
	phase, _, _ := unstructured.NestedString(scaled.Object, "status", "phase")
	replicas, _, _ := unstructured.NestedInt64(scaled.Object, "spec", "replicas")
	if phase != "Hot" || replicas != 5 {
		return fmt.Errorf("phase %q, %d replicas", phase, replicas)
	}
	return nil
}

// pages lists two at a time, then deletes by label.
func pages(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource) error {
	api := client.Resource(resource).Namespace(namespace)
	for i := 0; i < 5; i++ {
		object := oven(fmt.Sprintf("page-%d", i), nil)
		object.SetLabels(map[string]string{"paged": "yes"})
		if _, err := api.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	options := metav1.ListOptions{LabelSelector: "paged=yes", Limit: 2}
	names := []string{}
	for {
		page, err := api.List(ctx, options)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			names = append(names, item.GetName())
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			break
		}
	}
	if got := strings.Join(names, " "); got != "page-0 page-1 page-2 page-3 page-4" {
		return fmt.Errorf("the pages have %s", got)
	}
	if err := api.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "paged=yes"}); err != nil {
		return err
	}
	left, err := api.List(ctx, metav1.ListOptions{LabelSelector: "paged=yes"})
	if err != nil || len(left.Items) != 0 {
		return fmt.Errorf("%d left (%v)", len(left.Items), err)
	}
	return nil
}

// informer counts the events of a shared informer while objects are created, changed and deleted.
func informer(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource) error {
	const count = 50
	api := client.Resource(resource).Namespace(namespace)
	selected := func(options metav1.ListOptions) metav1.ListOptions {
		options.LabelSelector = "seen=yes"
		return options
	}
	// The package of dynamic informers would compile those of all built-in kinds.
	ovens := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) { return api.List(ctx, selected(options)) },
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return api.Watch(ctx, selected(options))
		},
	}, &unstructured.Unstructured{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	var lock sync.Mutex
	told := map[string]int{}
	tell := func(what string, object any) {
		lock.Lock()
		defer lock.Unlock()
		told[what+" "+object.(metav1.Object).GetName()]++
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell("add", object) },
		UpdateFunc: func(_, object any) { tell("update", object) },
		DeleteFunc: func(object any) { tell("delete", object) },
	}
	if _, err := ovens.AddEventHandler(handler); err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	go ovens.Run(stop)
	if !cache.WaitForCacheSync(ctx.Done(), ovens.HasSynced) {
		return fmt.Errorf("the cache was not filled in time")
	}
	for i := 0; i < count; i++ {
		object := oven(fmt.Sprintf("seen-%d", i), nil)
		object.SetLabels(map[string]string{"seen": "yes"})
		if _, err := api.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
		if _, err := api.Patch(ctx, object.GetName(), types.MergePatchType, []byte(`{"spec":{"degrees":100}}`), metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	seen := func(events int) wait.ConditionWithContextFunc {
		return func(context.Context) (bool, error) {
			lock.Lock()
			defer lock.Unlock()
			return len(told) == events, nil
		}
	}
	if err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, seen(2*count)); err != nil {
		return fmt.Errorf("saw %d events of %d: %w", len(told), 2*count, err)
	}
	listed, err := dynamiclister.New(ovens.GetIndexer(), resource).Namespace(namespace).List(labels.Everything())
	if err != nil || len(listed) != count {
		return fmt.Errorf("the cache holds %d objects (%v)", len(listed), err)
	}
	for i := 0; i < count; i++ {
		if err := api.Delete(ctx, fmt.Sprintf("seen-%d", i), metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	if err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, seen(3*count)); err != nil {
		return fmt.Errorf("saw %d events of %d: %w", len(told), 3*count, err)
	}
	for event, times := range told {
		if times != 1 {
			return fmt.Errorf("%s was told %d times", event, times)
		}
	}
	return nil
}
