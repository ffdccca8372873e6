// Command informers uses an API server as controllers built on client-go do: shared informers, typed server-side apply,
// leader election and the event recorder. It prints a line for each part that worked, or the error and exits with 1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"
)

const patience = time.Minute

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file with the server's address and a credential")
	compact := flag.Bool("compact", false, "speak the compact encoding instead of JSON")
	flag.Parse()
	// Hide the log of the libraries; this program prints its own results.
	klog.SetLogger(logr.Discard())
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	if err := run(ctx, *kubeconfig, *compact); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string, compact bool) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 1000, 1000
	if compact {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	namespace, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "client-go-"}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("namespace: %w", err)
	}
	parts := []struct {
		name string
		do   func(context.Context, kubernetes.Interface, *rest.Config, string) error
	}{{"informer", informer}, {"apply", apply}, {"leader election", election}, {"event recorder", events}, {"conflict and retry", conflicts}}
	for _, part := range parts {
		if err := part.do(ctx, client, config, namespace.Name); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Println(part.name, "works")
	}
	return client.CoreV1().Namespaces().Delete(ctx, namespace.Name, metav1.DeleteOptions{})
}

// informer counts the events that a shared informer's handlers receive while 200 objects are created, changed and deleted.
func informer(ctx context.Context, client kubernetes.Interface, _ *rest.Config, namespace string) error {
	const count = 200
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	configMaps := factory.Core().V1().ConfigMaps()
	var lock sync.Mutex
	added, updated, deleted := map[string]int{}, map[string]int{}, map[string]int{}
	tell := func(to map[string]int, object any) {
		lock.Lock()
		defer lock.Unlock()
		to[object.(metav1.Object).GetName()]++
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell(added, object) },
		UpdateFunc: func(_, object any) { tell(updated, object) },
		DeleteFunc: func(object any) { tell(deleted, object) },
	}
	if _, err := configMaps.Informer().AddEventHandler(handler); err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	factory.Start(stop)
	if !cache.WaitForCacheSync(ctx.Done(), configMaps.Informer().HasSynced) {
		return fmt.Errorf("the cache was not filled in time")
	}
	api := client.CoreV1().ConfigMaps(namespace)
	for i := 0; i < count; i++ {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("object-%d", i), Labels: map[string]string{"half": fmt.Sprint(i % 2)}}}
		made, err := api.Create(ctx, object, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		made.Data = map[string]string{"changed": "yes"}
		if _, err := api.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	seen := func(counts map[string]int) wait.ConditionWithContextFunc {
		return func(context.Context) (bool, error) {
			lock.Lock()
			defer lock.Unlock()
			return len(counts) == count, nil
		}
	}
	if err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, seen(updated)); err != nil {
		return fmt.Errorf("changes seen: %d of %d: %w", len(updated), count, err)
	}
	half, err := configMaps.Lister().ConfigMaps(namespace).List(labels.SelectorFromSet(labels.Set{"half": "1"}))
	if err != nil || len(half) != count/2 {
		return fmt.Errorf("the cache holds %d objects with the label, wanted %d (%v)", len(half), count/2, err)
	}
	for i := 0; i < count; i++ {
		if err := api.Delete(ctx, fmt.Sprintf("object-%d", i), metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	if err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, seen(deleted)); err != nil {
		return fmt.Errorf("deletions seen: %d of %d: %w", len(deleted), count, err)
	}
	for _, counts := range []map[string]int{added, updated, deleted} {
		for name, times := range counts {
			if times != 1 {
				return fmt.Errorf("%s was told %d times", name, times)
			}
		}
	}
	return nil
}

// apply owns fields through typed apply configurations, gets a conflict, and forces it.
func apply(ctx context.Context, client kubernetes.Interface, _ *rest.Config, namespace string) error {
	api := client.CoreV1().ConfigMaps(namespace)
	wanted := applycorev1.ConfigMap("applied", namespace).WithData(map[string]string{"a": "1", "b": "1"})
	if _, err := api.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	other := applycorev1.ConfigMap("applied", namespace).WithData(map[string]string{"a": "2"})
	_, err := api.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "two"})
	if !apierrors.IsConflict(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		return fmt.Errorf("wanted a conflict between managers, got %v", err)
	}
	if _, err := api.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "two", Force: true}); err != nil {
		return err
	}
	found, err := api.Get(ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	extracted, err := applycorev1.ExtractConfigMap(found, "one")
	if err != nil {
		return err
	}
	if len(extracted.Data) != 1 || extracted.Data["b"] != "1" {
		return fmt.Errorf("manager one should own b alone, owns %v", extracted.Data)
	}
	less := applycorev1.ConfigMap("applied", namespace)
	after, err := api.Apply(ctx, less, metav1.ApplyOptions{FieldManager: "one"})
	if err != nil {
		return err
	}
	if len(after.Data) != 1 || after.Data["a"] != "2" {
		return fmt.Errorf("a field that nobody applies any more should be gone, data is %v", after.Data)
	}
	return nil
}

// election runs two candidates for a Lease: the second leads only after the first has released it.
func election(ctx context.Context, client kubernetes.Interface, _ *rest.Config, namespace string) error {
	type candidate struct {
		led    chan struct{}
		resign context.CancelFunc
		over   chan struct{}
	}
	start := func(name string) candidate {
		run, cancel := context.WithCancel(ctx)
		it := candidate{led: make(chan struct{}), resign: cancel, over: make(chan struct{})}
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: namespace},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		go func() {
			defer close(it.over)
			leaderelection.RunOrDie(run, leaderelection.LeaderElectionConfig{
				Lock: lock, ReleaseOnCancel: true, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { close(it.led) },
					OnStoppedLeading: func() {},
				},
			})
		}()
		return it
	}
	first := start("first")
	select {
	case <-first.led:
	case <-ctx.Done():
		return fmt.Errorf("the only candidate does not lead")
	}
	second := start("second")
	defer second.resign()
	lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "leader", metav1.GetOptions{})
	if err != nil || *lease.Spec.HolderIdentity != "first" {
		return fmt.Errorf("the lease should name the first candidate (%v)", err)
	}
	select {
	case <-second.led:
		return fmt.Errorf("both lead")
	default:
	}
	first.resign()
	<-first.over
	select {
	case <-second.led:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("nobody leads after the first resigned")
	}
}

// events records one event three times: one object whose count grows.
func events(ctx context.Context, client kubernetes.Interface, _ *rest.Config, namespace string) error {
	subject, err := client.CoreV1().ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "subject"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	subject.Kind, subject.APIVersion = "ConfigMap", "v1"
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(namespace)})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "test"})
	for i := 0; i < 3; i++ {
		recorder.Event(subject, corev1.EventTypeNormal, "Checked", "All is well")
	}
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		found, err := client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.uid=" + string(subject.UID)})
		return err == nil && len(found.Items) == 1 && found.Items[0].Count == 3, err
	})
}

// conflicts lets two writers compete for one object; with client-go's retry helper no increment may be lost.
func conflicts(ctx context.Context, client kubernetes.Interface, _ *rest.Config, namespace string) error {
	api := client.CoreV1().ConfigMaps(namespace)
	if _, err := api.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "counter"}, Data: map[string]string{"n": ""}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	const writers, each = 8, 20
	failures := make(chan error, writers)
	backoff := wait.Backoff{Steps: 1000, Duration: time.Millisecond, Factor: 1, Jitter: 1}
	for w := 0; w < writers; w++ {
		go func() {
			for i := 0; i < each; i++ {
				err := retry.RetryOnConflict(backoff, func() error {
					counter, err := api.Get(ctx, "counter", metav1.GetOptions{})
					if err != nil {
						return err
					}
					counter.Data["n"] += "x"
					_, err = api.Update(ctx, counter, metav1.UpdateOptions{})
					return err
				})
				if err != nil {
					failures <- err
					return
				}
			}
			failures <- nil
		}()
	}
	for w := 0; w < writers; w++ {
		if err := <-failures; err != nil {
			return err
		}
	}
	patched, err := api.Patch(ctx, "counter", types.JSONPatchType, []byte(`[{"op":"test","path":"/metadata/name","value":"counter"}]`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if got := len(patched.Data["n"]); got != writers*each {
		return fmt.Errorf("%d increments arrived, wanted %d", got, writers*each)
	}
	return nil
}
