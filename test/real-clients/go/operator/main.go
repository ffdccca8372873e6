// Command operator is a small operator built with controller-runtime: every ConfigMap labelled as a "shop" owns a
// Deployment, its status is kept in an annotation, and a finalizer tears it down. Beside it, writers change the shops for
// a given time and a plain watch records every event. At the end the watch must have received exactly what was written,
// every version of every shop once and in order, and the operator must have reconciled every shop.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	shopLabel  = "example.com/shop"
	doneNote   = "example.com/seen-step"
	finalizer  = "example.com/tear-down"
	patience   = 2 * time.Minute
	stepKey    = "step"
	replicaKey = "replicas"
)

func main() {
	// The library has registered flags of its own in the default set.
	flags := flag.NewFlagSet("operator", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "file with the server's address and a credential")
	duration := flags.Duration("duration", 10*time.Second, "how long the writers go on")
	shops := flags.Int("shops", 50, "how many objects there are at a time")
	writers := flags.Int("writers", 8, "how many writers change them")
	_ = flags.Parse(os.Args[1:])
	// Hide the log of the libraries; this program prints its own results.
	log.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		config.QPS, config.Burst = -1, 0
		err = run(config, *duration, *shops, *writers)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(config *rest.Config, duration time.Duration, shops, writers int) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	plain, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	namespace, err := plain.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "operator-"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	manager, err := newManager(config, namespace.Name)
	if err != nil {
		return err
	}
	managerOver := make(chan error, 1)
	go func() { managerOver <- manager.Start(ctx) }()

	history := &history{versions: map[types.UID][]string{}, gone: map[types.UID]bool{}}
	if err := history.start(ctx, plain, namespace.Name); err != nil {
		return err
	}
	written := &ledger{versions: map[types.UID]map[string]bool{}}
	if err := writeFor(ctx, plain, namespace.Name, duration, shops, writers, written); err != nil {
		return err
	}
	if err := settled(ctx, plain, namespace.Name, shops); err != nil {
		return err
	}
	if err := tearDown(ctx, plain, namespace.Name, history); err != nil {
		return err
	}
	if err := history.check(written); err != nil {
		return err
	}
	stop()
	if err := <-managerOver; err != nil {
		return fmt.Errorf("the manager ended with %w", err)
	}
	fmt.Printf("%d writes of the test, %d events, %d reconciles, %d shops made: nothing lost, nothing twice\n", written.count(), history.events.Load(), reconciles.Load(), len(history.versions))
	return plain.CoreV1().Namespaces().Delete(context.Background(), namespace.Name, metav1.DeleteOptions{})
}

var reconciles atomic.Int64

type reconciler struct{ client.Client }

func newManager(config *rest.Config, namespace string) (ctrl.Manager, error) {
	manager, err := ctrl.NewManager(config, ctrl.Options{
		LeaderElection: true, LeaderElectionID: "operator", LeaderElectionNamespace: namespace, LeaderElectionReleaseOnCancel: true,
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics: server.Options{BindAddress: "0"},
	})
	if err != nil {
		return nil, err
	}
	err = ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&appsv1.Deployment{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).Complete(&reconciler{manager.GetClient()})
	return manager, err
}

// Reconcile sets the replicas of one shop's Deployment to those of the shop, and records which step it has seen.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	reconciles.Add(1)
	shop := &corev1.ConfigMap{}
	if err := r.Get(ctx, request.NamespacedName, shop); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if _, is := shop.Labels[shopLabel]; !is {
		return ctrl.Result{}, nil
	}
	if !shop.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(shop, finalizer) {
			return ctrl.Result{}, ignoreRace(r.Update(ctx, shop))
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(shop, finalizer) {
		return ctrl.Result{Requeue: true}, ignoreRace(r.Update(ctx, shop))
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: shop.Namespace, Name: shop.Name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error { return fill(deployment, shop, r.Scheme()) }); err != nil {
		return again(err)
	}
	if shop.Annotations[doneNote] == shop.Data[stepKey] {
		return ctrl.Result{}, nil
	}
	before := shop.DeepCopy()
	metav1.SetMetaDataAnnotation(&shop.ObjectMeta, doneNote, shop.Data[stepKey])
	return again(r.Patch(ctx, shop, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}

// again requests a retry after a lost race: the cache will have the winner's write soon.
func again(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) {
		return ctrl.Result{RequeueAfter: 10 * time.Millisecond}, nil
	}
	return ctrl.Result{}, err
}

func ignoreRace(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
