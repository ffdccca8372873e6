package main

import (
	"encoding/json"
	"fmt"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
)

// equal compares two answers, which may be of different encodings.
func equal(what string, one, other object) error {
	if apiequality.Semantic.DeepEqual(bare(one), bare(other)) {
		return nil
	}
	a, err := tree(one)
	if err != nil {
		return err
	}
	b, err := tree(other)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: differs: %s; %s", what, missing(a, b, ""), missing(b, a, ""))
}

// bare removes what only JSON has: the claims of a stateful set name their kind there.
func bare(one object) object {
	set, is := one.(*appsv1.StatefulSet)
	if !is {
		return one
	}
	set = set.DeepCopy()
	for i := range set.Spec.VolumeClaimTemplates {
		set.Spec.VolumeClaimTemplates[i].TypeMeta = metav1.TypeMeta{}
	}
	return set
}

// holds fails if a field that was sent did not come back. The server may add fields, not change them.
func holds(method string, answer, sent any) error {
	given, err := tree(sent)
	if err != nil {
		return err
	}
	got, err := tree(answer)
	if err != nil {
		return err
	}
	// The server's own, and what is written and never read.
	metadata, _ := given["metadata"].(map[string]any)
	for _, name := range []string{"resourceVersion", "generation", "managedFields"} {
		delete(metadata, name)
	}
	delete(given, "stringData")
	// Its answer is the rules alone.
	if given["kind"] == "SelfSubjectRulesReview" {
		delete(given, "spec")
	}
	// Typed clients know the kind of an answer without its words.
	delete(given, "kind")
	delete(given, "apiVersion")
	if fault := missing(got, given, ""); fault != "" {
		return fmt.Errorf("%s: sent and not answered: %s", method, fault)
	}
	return nil
}

func tree(value any) (fields map[string]any, err error) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	return fields, err
}

// missing returns the first value that differs and its path. Empty maps, lists and nulls are absent.
func missing(got, sent any, path string) string {
	switch sent := sent.(type) {
	case map[string]any:
		fields, _ := got.(map[string]any)
		for name, value := range sent {
			if fault := missing(fields[name], value, path+"."+name); fault != "" {
				return fault
			}
		}
		return ""
	case []any:
		items, _ := got.([]any)
		if len(items) != len(sent) {
			return fmt.Sprintf("%s: %v, got %v", path, sent, got)
		}
		for i, value := range sent {
			if fault := missing(items[i], value, fmt.Sprintf("%s[%d]", path, i)); fault != "" {
				return fault
			}
		}
		return ""
	case nil:
		return ""
	}
	if reflect.DeepEqual(got, sent) {
		return ""
	}
	return fmt.Sprintf("%s: %v, got %v", path, sent, got)
}

func ownFinalizers(one *sample) (names []string) {
	var object struct {
		Metadata struct{ Finalizers []string }
	}
	_ = json.Unmarshal(one.Object, &object)
	return object.Metadata.Finalizers
}

// decode reads JSON strictly.
func decode(text []byte, into any) error {
	unknown, err := kjson.UnmarshalStrict(text, into)
	if err == nil && len(unknown) > 0 {
		err = unknown[0]
	}
	return err
}
