package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// history holds the events of a plain watch on the shops, by object.
type history struct {
	lock     sync.Mutex
	versions map[types.UID][]string
	gone     map[types.UID]bool
	faults   []string
	events   atomic.Int64
}

// start lists and watches; a watch that ends is reopened from its last version, as the protocol requires.
func (h *history) start(ctx context.Context, plain kubernetes.Interface, namespace string) error {
	api := plain.CoreV1().ConfigMaps(namespace)
	list, err := api.List(ctx, metav1.ListOptions{LabelSelector: shopLabel})
	if err != nil {
		return err
	}
	if len(list.Items) > 0 {
		return fmt.Errorf("a new namespace has shops")
	}
	go func() {
		version := list.ResourceVersion
		for ctx.Err() == nil {
			opened, err := api.Watch(ctx, metav1.ListOptions{LabelSelector: shopLabel, ResourceVersion: version, AllowWatchBookmarks: true})
			if err != nil {
				if ctx.Err() == nil {
					h.fault("the watch cannot be opened: %v", err)
				}
				return
			}
			for event := range opened.ResultChan() {
				version = h.record(event, version)
			}
		}
	}()
	return nil
}

func (h *history) record(event watch.Event, version string) string {
	object, is := event.Object.(*corev1.ConfigMap)
	if !is {
		h.fault("%s: %v", event.Type, apierrors.FromObject(event.Object))
		return version
	}
	next := object.ResourceVersion
	if event.Type == watch.Bookmark {
		if number(next) < number(version) {
			h.fault("a bookmark goes back from %s to %s", version, next)
		}
		return next
	}
	h.events.Add(1)
	h.lock.Lock()
	defer h.lock.Unlock()
	if number(next) <= number(version) {
		h.faults = append(h.faults, fmt.Sprintf("%s of %s at %s after version %s", event.Type, object.Name, next, version))
	}
	known := len(h.versions[object.UID]) > 0
	if known != (event.Type != watch.Added) || h.gone[object.UID] {
		h.faults = append(h.faults, fmt.Sprintf("%s of %s at %s, known: %v, gone: %v", event.Type, object.Name, next, known, h.gone[object.UID]))
	}
	h.gone[object.UID] = event.Type == watch.Deleted
	h.versions[object.UID] = append(h.versions[object.UID], next)
	return next
}

func (h *history) fault(format string, values ...any) {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.faults = append(h.faults, fmt.Sprintf(format, values...))
}

func (h *history) allGone() bool {
	h.lock.Lock()
	defer h.lock.Unlock()
	for uid := range h.versions {
		if !h.gone[uid] {
			return false
		}
	}
	return true
}

// check compares the events with the acknowledged writes.
func (h *history) check(written *ledger) error {
	h.lock.Lock()
	defer h.lock.Unlock()
	for uid, versions := range written.versions {
		told := map[string]bool{}
		for _, version := range h.versions[uid] {
			told[version] = true
		}
		for version := range versions {
			if !told[version] {
				h.faults = append(h.faults, fmt.Sprintf("version %s of %s was acknowledged and never told", version, uid))
			}
		}
	}
	if len(h.faults) > 0 {
		return fmt.Errorf("%d faults, the first: %s", len(h.faults), h.faults[0])
	}
	return nil
}

func number(version string) uint64 {
	value, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("a resource version that is no number: %q", version))
	}
	return value
}
