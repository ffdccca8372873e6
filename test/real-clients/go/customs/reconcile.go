package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "bakery.example.com/cool-down"

type reconciler struct{ client.Client }

func newManager(config *rest.Config) (ctrl.Manager, error) {
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return nil, err
	}
	return manager, ctrl.NewControllerManagedBy(manager).For(&Oven{}).Owns(&corev1.ConfigMap{}).Complete(&reconciler{manager.GetClient()})
}

// Reconcile keeps a ConfigMap with the number of buns in one oven, and reports in the status which spec it has seen.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	oven := &Oven{}
	if err := r.Get(ctx, request.NamespacedName, oven); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !oven.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(oven, finalizer) {
			return again(r.Update(ctx, oven))
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(oven, finalizer) {
		return again(r.Update(ctx, oven))
	}
	buns := int32(0)
	for _, tray := range oven.Spec.Trays {
		buns += tray.Buns
	}
	menu := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: oven.Namespace, Name: oven.Name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, menu, func() error {
		menu.Data = map[string]string{"buns": fmt.Sprint(buns)}
		return controllerutil.SetControllerReference(oven, menu, r.Scheme())
	}); err != nil {
		return again(err)
	}
	before := oven.DeepCopyObject().(*Oven)
	oven.Status.Phase, oven.Status.Replicas, oven.Status.ObservedGeneration = "Hot", *oven.Spec.Replicas, oven.Generation
	meta.SetStatusCondition(&oven.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Heated", ObservedGeneration: oven.Generation,
	})
	return again(r.Status().Patch(ctx, oven, client.MergeFrom(before)))
}

// again requests a retry after a lost race: the cache will have the winner's write soon.
func again(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) {
		return ctrl.Result{Requeue: true}, nil
	}
	return ctrl.Result{}, err
}
