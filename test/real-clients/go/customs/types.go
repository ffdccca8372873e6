package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Oven is the kind of the definition as controller-gen's users write it.
type Oven struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   OvenSpec   `json:"spec"`
	Status OvenStatus `json:"status,omitempty"`
}

type OvenSpec struct {
	Size     string                `json:"size,omitempty"`
	Degrees  int32                 `json:"degrees"`
	Replicas *int32                `json:"replicas,omitempty"`
	Door     *intstr.IntOrString   `json:"door,omitempty"`
	Recipe   *runtime.RawExtension `json:"recipe,omitempty"`
	Trays    []Tray                `json:"trays,omitempty"`
}

type Tray struct {
	Name string `json:"name"`
	Buns int32  `json:"buns"`
}

type OvenStatus struct {
	Phase              string             `json:"phase,omitempty"`
	Replicas           int32              `json:"replicas,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type OvenList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Oven `json:"items"`
}

var groupVersion = schema.GroupVersion{Group: "bakery.example.com", Version: "v1"}

func addToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(groupVersion, &Oven{}, &OvenList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return nil
}

func (o *Oven) DeepCopyInto(out *Oven) {
	*out = *o
	o.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if o.Spec.Replicas != nil {
		replicas := *o.Spec.Replicas
		out.Spec.Replicas = &replicas
	}
	if o.Spec.Door != nil {
		door := *o.Spec.Door
		out.Spec.Door = &door
	}
	if o.Spec.Recipe != nil {
		out.Spec.Recipe = o.Spec.Recipe.DeepCopy()
	}
	out.Spec.Trays = append([]Tray(nil), o.Spec.Trays...)
	out.Status.Conditions = append([]metav1.Condition(nil), o.Status.Conditions...)
}

func (o *Oven) DeepCopyObject() runtime.Object {
	out := &Oven{}
	o.DeepCopyInto(out)
	return out
}

func (l *OvenList) DeepCopyObject() runtime.Object {
	out := &OvenList{TypeMeta: l.TypeMeta, Items: make([]Oven, len(l.Items))}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		l.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
