package main

import (
	"context"
	"fmt"
	"math/rand"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// ledger holds the versions that the server has acknowledged to the writers.
type ledger struct {
	lock     sync.Mutex
	versions map[types.UID]map[string]bool
}

func (l *ledger) acknowledged(object *corev1.ConfigMap) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.versions[object.UID] == nil {
		l.versions[object.UID] = map[string]bool{}
	}
	l.versions[object.UID][object.ResourceVersion] = true
}

func (l *ledger) count() (total int) {
	for _, versions := range l.versions {
		total += len(versions)
	}
	return total
}

// writeFor lets the writers change shops until the time is over, and then makes sure that every shop exists.
func writeFor(ctx context.Context, plain kubernetes.Interface, namespace string, duration time.Duration, shops, writers int, written *ledger) error {
	api := plain.CoreV1().ConfigMaps(namespace)
	until := time.Now().Add(duration)
	failures := make(chan error, writers)
	for w := 0; w < writers; w++ {
		chance := rand.New(rand.NewSource(int64(w)))
		go func() {
			for step := 0; time.Now().Before(until); step++ {
				if err := writeOnce(ctx, api, chance, fmt.Sprintf("shop-%d", chance.Intn(shops)), fmt.Sprintf("%d", step), written); err != nil {
					failures <- err
					return
				}
			}
			failures <- nil
		}()
	}
	for w := 0; w < writers; w++ {
		if err := <-failures; err != nil {
			return fmt.Errorf("a writer: %w", err)
		}
	}
	for s := 0; s < shops; s++ {
		name := fmt.Sprintf("shop-%d", s)
		err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
			if err := create(ctx, api, name, "final", "3", written); err != nil {
				return false, err
			}
			found, err := api.Get(ctx, name, metav1.GetOptions{})
			return err == nil && found.DeletionTimestamp.IsZero(), ignoreMissing(err)
		})
		if err != nil {
			return fmt.Errorf("%s cannot be made: %w", name, err)
		}
	}
	return nil
}

// writeOnce creates, changes or deletes one shop. Losing a race against another writer is not a failure.
func writeOnce(ctx context.Context, api typedcorev1.ConfigMapInterface, chance *rand.Rand, name, step string, written *ledger) error {
	replicas := strconv.Itoa(chance.Intn(5))
	switch dice := chance.Intn(100); {
	case dice < 5:
		return ignoreMissing(api.Delete(ctx, name, metav1.DeleteOptions{}))
	case dice < 20:
		shop, err := api.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return ignoreMissing(err)
		}
		shop.Data = map[string]string{stepKey: step, replicaKey: replicas}
		changed, err := api.Update(ctx, shop, metav1.UpdateOptions{})
		if err == nil {
			written.acknowledged(changed)
		}
		return ignoreMissing(ignoreRace(err))
	default:
		patch := fmt.Sprintf(`{"data":{%q:%q,%q:%q}}`, stepKey, step, replicaKey, replicas)
		changed, err := api.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		if apierrors.IsNotFound(err) {
			return create(ctx, api, name, step, replicas, written)
		}
		if err == nil {
			written.acknowledged(changed)
		}
		return ignoreRace(err)
	}
}

func create(ctx context.Context, api typedcorev1.ConfigMapInterface, name, step, replicas string, written *ledger) error {
	shop := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{shopLabel: name}},
		Data:       map[string]string{stepKey: step, replicaKey: replicas},
	}
	made, err := api.Create(ctx, shop, metav1.CreateOptions{})
	if err == nil {
		written.acknowledged(made)
	}
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func ignoreMissing(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// settled waits until the operator has reconciled every shop.
func settled(ctx context.Context, plain kubernetes.Interface, namespace string, shops int) error {
	var open string
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		found, err := plain.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: shopLabel})
		if err != nil {
			return false, err
		}
		owned, err := plain.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		replicas := map[types.UID]string{}
		for _, deployment := range owned.Items {
			if owner := metav1.GetControllerOf(&deployment); owner != nil {
				replicas[owner.UID] = strconv.Itoa(int(*deployment.Spec.Replicas))
			}
		}
		open = ""
		for _, shop := range found.Items {
			if shop.Annotations[doneNote] != shop.Data[stepKey] || replicas[shop.UID] != shop.Data[replicaKey] {
				open += " " + shop.Name
			}
		}
		return len(found.Items) == shops && len(owned.Items) == shops && open == "", nil
	})
	if err != nil {
		return fmt.Errorf("the operator has not come to rest, open:%s: %w", open, err)
	}
	return nil
}

// tearDown deletes every shop and waits until the finalizers are removed, the garbage collector has deleted the
// Deployments and the watch has received it.
func tearDown(ctx context.Context, plain kubernetes.Interface, namespace string, seen *history) error {
	api := plain.CoreV1().ConfigMaps(namespace)
	if err := api.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: shopLabel}); err != nil {
		return err
	}
	var left int
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		shops, err := api.List(ctx, metav1.ListOptions{LabelSelector: shopLabel})
		if err != nil {
			return false, err
		}
		owned, err := plain.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		left = len(shops.Items) + len(owned.Items)
		return left == 0 && seen.allGone(), nil
	})
	if err != nil {
		return fmt.Errorf("%d objects are left: %w", left, err)
	}
	return nil
}
