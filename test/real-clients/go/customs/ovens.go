package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	namespace = "default"
	count     = 20
)

func newOven(i int) *Oven {
	door := intstr.FromString("40%")
	return &Oven{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("oven-%d", i)},
		Spec: OvenSpec{
			Degrees: 200, Door: &door, Trays: []Tray{{Name: "top", Buns: 6}},
			Recipe: &runtime.RawExtension{Raw: []byte(`{"flour":{"grams":500}}`)},
		},
	}
}

// reconciled creates, changes and scales ovens, and waits until the operator has seen the last spec of each.
func reconciled(ctx context.Context, api client.Client) error {
	for i := 0; i < count; i++ {
		oven := newOven(i)
		if err := api.Create(ctx, oven); err != nil {
			return err
		}
		if oven.Spec.Size != "Small" || *oven.Spec.Replicas != 1 {
			return fmt.Errorf("defaults are %v", oven.Spec)
		}
		if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
			if err := api.Get(ctx, client.ObjectKeyFromObject(oven), oven); err != nil {
				return err
			}
			oven.Spec.Trays = append(oven.Spec.Trays, Tray{Name: "bottom", Buns: int32(i)})
			return api.Update(ctx, oven)
		}); err != nil {
			return err
		}
		scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}}
		if err := api.SubResource("scale").Patch(ctx, oven, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":3}}`)), client.WithSubResourceBody(scale)); err != nil {
			return fmt.Errorf("scale: %w", err)
		}
	}
	for i := 0; i < count; i++ {
		oven := newOven(i)
		if err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
			err := api.Get(ctx, client.ObjectKeyFromObject(oven), oven)
			return oven.Status.ObservedGeneration == oven.Generation && oven.Status.Replicas == 3, err
		}); err != nil {
			return fmt.Errorf("%s: status %v: %w", oven.Name, oven.Status, err)
		}
		if string(oven.Spec.Recipe.Raw) != `{"flour":{"grams":500}}` || !meta.IsStatusConditionTrue(oven.Status.Conditions, "Ready") {
			return fmt.Errorf("%s is %v", oven.Name, oven)
		}
		menu := &corev1.ConfigMap{}
		if err := api.Get(ctx, client.ObjectKeyFromObject(oven), menu); err != nil {
			return err
		}
		if menu.Data["buns"] != fmt.Sprint(6+i) || !metav1.IsControlledBy(menu, oven) {
			return fmt.Errorf("%s has %v, owned by %v", oven.Name, menu.Data, menu.OwnerReferences)
		}
	}
	return nil
}

// refused sends what a rule, a limit and a stale version forbid.
func refused(ctx context.Context, api client.Client) error {
	hot := newOven(count)
	hot.Spec.Degrees = 290
	err := api.Create(ctx, hot)
	if !apierrors.IsInvalid(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeFieldValueInvalid) || !strings.Contains(err.Error(), "an oven of size Small does not get that hot") {
		return fmt.Errorf("wanted the rule's refusal, got %v", err)
	}
	hot.Spec.Degrees = 20
	if err := api.Create(ctx, hot); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.degrees in body should be greater than or equal to 30") {
		return fmt.Errorf("wanted the limit's refusal, got %v", err)
	}
	stale := newOven(0)
	if err := api.Get(ctx, client.ObjectKeyFromObject(stale), stale); err != nil {
		return err
	}
	stale.ResourceVersion = "1"
	if err := api.Update(ctx, stale); !apierrors.IsConflict(err) {
		return fmt.Errorf("wanted a conflict, got %v", err)
	}
	return nil
}

// tornDown deletes all ovens. Their finalizers go when the operator has seen them, their ConfigMaps with them.
func tornDown(ctx context.Context, api client.Client) error {
	if err := api.DeleteAllOf(ctx, &Oven{}, client.InNamespace(namespace)); err != nil {
		return err
	}
	ovens, menus := &OvenList{}, &corev1.ConfigMapList{}
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		if err := api.List(ctx, ovens, client.InNamespace(namespace)); err != nil {
			return false, err
		}
		err := api.List(ctx, menus, client.InNamespace(namespace))
		return len(ovens.Items) == 0 && len(menus.Items) == 0, err
	})
	if err != nil {
		return fmt.Errorf("%d ovens and %d of their ConfigMaps are left: %w", len(ovens.Items), len(menus.Items), err)
	}
	return nil
}
