package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/util/retry"
)

// Marks the objects of the samples, so that lists and watches have no others.
const (
	label   = "example.com/typed"
	strict  = "Strict"
	creator = "creator"
	applier = "applier"
	// Removes one.
	withoutFinalizer = `[{"op":"remove","path":"/metadata/finalizers/0"}]`
)

var createOptions = metav1.CreateOptions{FieldManager: creator, FieldValidation: strict}
var updateOptions = metav1.UpdateOptions{FieldManager: creator, FieldValidation: strict}
var applyOptions = metav1.ApplyOptions{FieldManager: applier}

// life is what happens to one kind: its object is applied and deleted, created, changed in all ways and deleted, and
// deleted with its collection. A watch sees all of it.
type life struct {
	ctx    context.Context
	sample *sample
	// other reads in the other encoding.
	api, other collection
	used       map[string]bool
	watched    *watched
	// last is the newest answer.
	last object
}

// all lives through everything that the kind's client can do.
func (l *life) all() error {
	if !l.api.has("Get") {
		return l.reviewed()
	}
	if err := l.startWatch(); err != nil {
		return err
	}
	defer l.watched.stop()
	for _, part := range []func() error{l.applied, l.created, l.updated, l.patched, l.special, l.read, l.deleted, l.deletedTogether} {
		if err := part(); err != nil {
			return err
		}
	}
	if unused := l.unused(); len(unused) > 0 {
		return fmt.Errorf("no step uses %s", strings.Join(unused, ", "))
	}
	return nil
}

// has says whether the client has a method, which then counts as used.
func (l *life) has(method string) bool {
	if l.api.has(method) && unserved[l.api.name+"."+method] == "" {
		l.used[method] = true
		return true
	}
	return false
}

// reviewed creates what is answered and not stored.
func (l *life) reviewed() error {
	sent, err := l.fresh()
	if err != nil {
		return err
	}
	l.used["Create"] = true
	answer, err := l.api.answer("Create", l.ctx, sent, createOptions)
	if err != nil {
		return err
	}
	again, err := l.other.answer("Create", l.ctx, sent, createOptions)
	if err != nil {
		return err
	}
	// They have the time of the request.
	for _, one := range []object{answer, again} {
		one.SetManagedFields(nil)
		one.SetCreationTimestamp(metav1.Time{})
	}
	if err := holds("Create", answer, l.sample.Object); err != nil {
		return err
	}
	return equal("Create in both encodings", answer, again)
}

// mark is the label's value, by which watches of several versions of a kind differ.
func (l *life) mark() string {
	return strings.ReplaceAll(l.sample.APIVersion, "/", "-")
}

func (l *life) selector() string {
	return label + "=" + l.mark()
}

// fresh returns the sample as the client's type. A field that the type does not have is an error.
func (l *life) fresh() (object, error) {
	made := l.api.parameter("Create", 1).(object)
	if err := decode(l.sample.Object, made); err != nil {
		return nil, err
	}
	if l.api.has("Get") {
		made.SetLabels(with(made.GetLabels(), label, l.mark()))
	}
	return made, nil
}

// applied creates the object by an apply, takes a field back by another one, and deletes it.
func (l *life) applied() error {
	if !l.has("Apply") {
		return nil
	}
	for _, more := range []string{"first", "second"} {
		sent, err := l.configuration(more)
		if err != nil {
			return err
		}
		answer, err := l.api.answer("Apply", l.ctx, sent, applyOptions)
		if err != nil {
			return err
		}
		if err := l.told("Apply", answer, sent); err != nil {
			return err
		}
	}
	if _, found := l.last.GetAnnotations()["example.com/first"]; found {
		return fmt.Errorf("Apply: the annotation that is applied no more is still there")
	}
	if err := l.owned(applier, ""); err != nil {
		return err
	}
	if l.has("ApplyStatus") {
		if err := l.appliedStatus(); err != nil {
			return err
		}
	}
	return l.deleted()
}

// configuration is the sample as an apply configuration, with an annotation more.
func (l *life) configuration(more string) (any, error) {
	fields, err := tree(l.sample.Object)
	if err != nil {
		return nil, err
	}
	metadata := fields["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	metadata["annotations"] = with(annotations, "example.com/"+more, any("yes"))
	metadata["labels"] = with(labels, label, any(l.mark()))
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	made := l.api.parameter("Apply", 1)
	return made, decode(text, made)
}

func (l *life) appliedStatus() error {
	if l.sample.Status == nil {
		return fmt.Errorf("the sample needs a status")
	}
	named := map[string]any{"apiVersion": l.sample.APIVersion, "kind": l.sample.Kind, "metadata": map[string]any{"name": l.last.GetName()}, "status": l.sample.Status}
	if l.sample.Namespace != "" {
		named["metadata"].(map[string]any)["namespace"] = l.sample.Namespace
	}
	text, err := json.Marshal(named)
	if err != nil {
		return err
	}
	sent := l.api.parameter("ApplyStatus", 1)
	if err := decode(text, sent); err != nil {
		return err
	}
	options := applyOptions
	options.Force = true
	answer, err := l.api.answer("ApplyStatus", l.ctx, sent, options)
	if err != nil {
		return err
	}
	if err := l.told("ApplyStatus", answer, sent); err != nil {
		return err
	}
	return l.owned(applier, "status")
}

// owned fails if the manager has no entry of an apply to the sub-resource.
func (l *life) owned(manager, subresource string) error {
	for _, entry := range l.last.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == subresource {
			return nil
		}
	}
	return fmt.Errorf("%s owns nothing of %q: %v", manager, subresource, l.last.GetManagedFields())
}

func (l *life) created() error {
	sent, err := l.fresh()
	if err != nil {
		return err
	}
	l.used["Create"] = true
	answer, err := l.api.answer("Create", l.ctx, sent, createOptions)
	if err != nil {
		return err
	}
	if err := l.told("Create", answer, sent); err != nil || l.sample.Kind != "CustomResourceDefinition" {
		return err
	}
	return l.established()
}

// updated changes an annotation, then all of the status.
func (l *life) updated() error {
	if l.has("Update") {
		if err := l.change("Update", func(next object) error { return annotate(next, "update") }, updateOptions); err != nil {
			return err
		}
	}
	if !l.has("UpdateStatus") {
		return nil
	}
	if l.sample.Status == nil {
		return fmt.Errorf("the sample needs a status")
	}
	return l.change("UpdateStatus", func(next object) error {
		return decode([]byte(`{"status":`+string(l.sample.Status)+`}`), next)
	}, updateOptions)
}

// change writes a changed object, again if another writer was faster. More arguments go before the options.
func (l *life) change(method string, how func(next object) error, options any, name ...string) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		found, err := l.api.answer("Get", l.ctx, l.last.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		next := found.DeepCopyObject().(object)
		if err := how(next); err != nil {
			return err
		}
		arguments := []any{l.ctx}
		for _, one := range name {
			arguments = append(arguments, one)
		}
		answer, err := l.api.answer(method, append(arguments, next, options)...)
		if err != nil {
			return err
		}
		return l.told(method, answer, next)
	})
}

// patched adds an annotation with each kind of patch, and then writes the status with one.
func (l *life) patched() error {
	l.used["Patch"] = true
	patches := []struct {
		of   types.PatchType
		text string
	}{
		{types.JSONPatchType, `[{"op":"add","path":"/metadata/annotations/example.com~1json","value":"yes"}]`},
		{types.MergePatchType, `{"metadata":{"annotations":{"example.com/merge":"yes"}}}`},
		{types.StrategicMergePatchType, `{"metadata":{"annotations":{"example.com/strategic":"yes"}}}`},
	}
	options := metav1.PatchOptions{FieldManager: creator, FieldValidation: strict}
	for _, one := range patches {
		before := l.last
		answer, err := l.api.answer("Patch", l.ctx, l.last.GetName(), one.of, []byte(one.text), options)
		if err != nil {
			return fmt.Errorf("%s: %w", one.of, err)
		}
		if len(answer.GetAnnotations()) != len(before.GetAnnotations())+1 {
			return fmt.Errorf("%s: annotations are %v", one.of, answer.GetAnnotations())
		}
		if err := l.told("Patch", answer, before); err != nil {
			return err
		}
	}
	if !l.api.has("UpdateStatus") {
		return nil
	}
	status := `{"status":` + string(l.sample.Status) + `}`
	answer, err := l.api.answer("Patch", l.ctx, l.last.GetName(), types.MergePatchType, []byte(status), options, "status")
	if err != nil {
		return err
	}
	return l.told("Patch of the status", answer, l.last)
}

// read gets and lists the object in both encodings. All must have the newest answer.
func (l *life) read() error {
	for _, api := range []collection{l.api, l.other} {
		found, err := api.answer("Get", l.ctx, l.last.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := equal("Get", found, l.last); err != nil {
			return err
		}
		list, err := api.call("List", l.ctx, metav1.ListOptions{LabelSelector: l.selector()})
		if err != nil {
			return err
		}
		items := reflect.ValueOf(list).Elem().FieldByName("Items")
		if items.Len() != 1 {
			return fmt.Errorf("List: has %d items", items.Len())
		}
		if err := equal("List", items.Index(0).Addr().Interface().(object), l.last); err != nil {
			return err
		}
	}
	l.used["Get"], l.used["List"] = true, true
	return nil
}

func (l *life) deleted() error {
	l.used["Delete"] = true
	if _, err := l.api.call("Delete", l.ctx, l.last.GetName(), deleteOptions()); err != nil {
		return err
	}
	return l.gone()
}

func (l *life) deletedTogether() error {
	if !l.has("DeleteCollection") {
		return nil
	}
	if err := l.created(); err != nil {
		return err
	}
	if _, err := l.api.call("DeleteCollection", l.ctx, deleteOptions(), metav1.ListOptions{LabelSelector: l.selector()}); err != nil {
		return err
	}
	return l.gone()
}

// deleteOptions are at once, and without the orphan finalizer that some kinds have by default.
func deleteOptions() metav1.DeleteOptions {
	now, background := int64(0), metav1.DeletePropagationBackground
	return metav1.DeleteOptions{GracePeriodSeconds: &now, PropagationPolicy: &background}
}

// gone waits until the watch has told the deletion, after taking the sample's own finalizers away.
func (l *life) gone() error {
	name := l.last.GetName()
	for range ownFinalizers(l.sample) {
		if err := l.reread(); err != nil {
			return err
		}
		if _, err := l.api.answer("Patch", l.ctx, name, types.JSONPatchType, []byte(withoutFinalizer), metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("finalizer: %w", err)
		}
	}
	l.watched.expect(watch.Deleted, l.last)
	if err := l.watched.settle(l.ctx); err != nil {
		return err
	}
	if _, err := l.api.call("Get", l.ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("Get of what is deleted: %v", err)
	}
	return nil
}

// told takes an answer to a write: it holds what was sent, and the watch will tell it if it is new.
func (l *life) told(method string, answer object, sent any) error {
	if err := holds(method, answer, sent); err != nil {
		return err
	}
	switch {
	case l.last == nil || l.last.GetUID() != answer.GetUID():
		l.watched.expect(watch.Added, answer)
	case l.last.GetResourceVersion() != answer.GetResourceVersion():
		l.watched.expect(watch.Modified, answer)
	}
	l.last = answer
	return nil
}

func annotate(next metav1.Object, word string) error {
	next.SetAnnotations(with(next.GetAnnotations(), "example.com/"+word, "yes"))
	return nil
}

// with adds a name to labels or annotations, of which there may be none.
func with[V any](words map[string]V, name string, value V) map[string]V {
	more := map[string]V{}
	for known, old := range words {
		more[known] = old
	}
	more[name] = value
	return more
}
