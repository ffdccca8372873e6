package main

import (
	"context"
	"fmt"
	"time"

	definitionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
)

// Kinds that the server's own controllers change while they live.
var changedByServer = map[string]bool{"Namespace": true, "CustomResourceDefinition": true, "FlowSchema": true, "APIService": true}

// watched is a watch of the sample's object, and what it must tell.
type watched struct {
	events   watch.Interface
	expected []watch.Event
	// others allows for changes that are not ours.
	others bool
}

// startWatch begins where a list ended, as informers do.
func (l *life) startWatch() error {
	list, err := l.api.call("List", l.ctx, metav1.ListOptions{LabelSelector: l.selector()})
	if err != nil {
		return err
	}
	version := list.(metav1.ListInterface).GetResourceVersion()
	l.used["Watch"] = true
	events, err := l.api.call("Watch", l.ctx, metav1.ListOptions{LabelSelector: l.selector(), ResourceVersion: version})
	if err != nil {
		return err
	}
	l.watched = &watched{events: events.(watch.Interface), others: changedByServer[l.sample.Kind]}
	return nil
}

// established waits until the server's controllers have done what they do to a new definition.
func (l *life) established() error {
	return wait.PollUntilContextCancel(l.ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) {
		if err := l.reread(); err != nil {
			return false, err
		}
		for _, condition := range l.last.(*definitionsv1.CustomResourceDefinition).Status.Conditions {
			if condition.Type == definitionsv1.Established && condition.Status == definitionsv1.ConditionTrue {
				return true, nil
			}
		}
		return false, nil
	})
}

func (w *watched) stop() {
	w.events.Stop()
}

func (w *watched) expect(what watch.EventType, object object) {
	w.expected = append(w.expected, watch.Event{Type: what, Object: object})
}

// settle waits for all that is expected. It comes in order, with the objects of the answers.
func (w *watched) settle(ctx context.Context) error {
	for len(w.expected) > 0 {
		var event watch.Event
		select {
		case event = <-w.events.ResultChan():
		case <-ctx.Done():
			return fmt.Errorf("the watch did not tell %s", w.expected[0].Type)
		}
		got, isObject := event.Object.(object)
		if !isObject {
			return fmt.Errorf("the watch told %s %v", event.Type, event.Object)
		}
		next := w.expected[0]
		want := next.Object.(object)
		// A deleted object has the version of its deletion.
		same := next.Type == watch.Deleted || got.GetResourceVersion() == want.GetResourceVersion()
		if event.Type != next.Type || !same {
			if w.others && event.Type == watch.Modified {
				continue
			}
			return fmt.Errorf("the watch told %s at %s, expected %s at %s", event.Type, got.GetResourceVersion(), next.Type, want.GetResourceVersion())
		}
		if next.Type != watch.Deleted {
			if err := equal("the event", got, want); err != nil {
				return err
			}
		}
		w.expected = w.expected[1:]
	}
	return nil
}
