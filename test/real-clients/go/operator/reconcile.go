package main

import (
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// fill sets the deployment's spec from its shop, and the shop as its owner.
func fill(deployment *appsv1.Deployment, shop *corev1.ConfigMap, scheme *runtime.Scheme) error {
	replicas, err := strconv.ParseInt(shop.Data[replicaKey], 10, 32)
	if err != nil {
		return fmt.Errorf("replicas of %s: %w", shop.Name, err)
	}
	wanted := int32(replicas)
	labels := map[string]string{"app": shop.Name}
	deployment.Spec.Replicas = &wanted
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	deployment.Spec.Template.Labels = labels
	if len(deployment.Spec.Template.Spec.Containers) == 0 {
		deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "shop", Image: "example.com/shop:1"}}
	}
	return controllerutil.SetControllerReference(shop, deployment, scheme)
}
