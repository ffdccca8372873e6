package main

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// special uses the methods that few kinds have.
func (l *life) special() error {
	steps := []struct {
		method string
		do     func(*life) error
	}{
		{"UpdateScale", (*life).scaled},
		{"ApplyScale", (*life).scaledByApply},
		{"UpdateApproval", (*life).approved},
		{"Finalize", (*life).finalized},
		{"PatchStatus", (*life).statusPatched},
		{"CreateToken", (*life).tokenCreated},
		{"UpdateEphemeralContainers", (*life).debugged},
		{"Bind", (*life).bound},
		{"GetLogs", (*life).logged},
		{"EvictV1", (*life).evicted},
		{"CreateWithEventNamespace", (*life).recorded},
	}
	for _, step := range steps {
		if name := l.api.name + "." + step.method; unserved[name] != "" {
			if err := step.do(l); !apierrors.IsNotFound(err) {
				return fmt.Errorf("%s is not as unserved says: %v", name, err)
			}
		}
		if l.has(step.method) {
			if err := step.do(l); err != nil {
				return fmt.Errorf("%s: %w", step.method, err)
			}
		}
	}
	return nil
}

// reread takes the object after a write whose answer is another one.
func (l *life) reread() error {
	found, err := l.api.answer("Get", l.ctx, l.last.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	return l.told("Get", found, nil)
}

func (l *life) scaled() error {
	l.has("GetScale")
	found, err := l.api.answer("GetScale", l.ctx, l.last.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	other, err := l.other.answer("GetScale", l.ctx, l.last.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := equal("GetScale", found, other); err != nil {
		return err
	}
	scale := found.DeepCopyObject().(*autoscalingv1.Scale)
	if scale.UID != l.last.GetUID() || scale.Status.Selector == "" {
		return fmt.Errorf("scale is %v", scale)
	}
	scale.Spec.Replicas += 2
	answer, err := l.api.answer("UpdateScale", l.ctx, scale.Name, scale, updateOptions)
	if err != nil {
		return err
	}
	if err := holds("UpdateScale", answer, scale); err != nil {
		return err
	}
	return l.reread()
}

func (l *life) scaledByApply() error {
	sent := l.api.parameter("ApplyScale", 2)
	if err := decode([]byte(`{"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":9}}`), sent); err != nil {
		return err
	}
	options := applyOptions
	options.Force = true
	answer, err := l.api.answer("ApplyScale", l.ctx, l.last.GetName(), sent, options)
	if err != nil {
		return err
	}
	if err := holds("ApplyScale", answer, sent); err != nil {
		return err
	}
	if err := l.reread(); err != nil {
		return err
	}
	return l.owned(applier, "scale")
}

func (l *life) approved() error {
	return l.change("UpdateApproval", func(next object) error {
		status := &next.(*certificatesv1.CertificateSigningRequest).Status
		now := metav1.Unix(1767323045, 0)
		status.Conditions = append(status.Conditions, certificatesv1.CertificateSigningRequestCondition{
			Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Known", Message: "m", LastUpdateTime: now, LastTransitionTime: now,
		})
		return nil
	}, updateOptions, l.last.GetName())
}

// finalized adds a finalizer to the namespace's content and takes it away again.
func (l *life) finalized() error {
	const own = corev1.FinalizerName("example.com/typed")
	for _, more := range []bool{true, false} {
		err := l.change("Finalize", func(next object) error {
			spec := &next.(*corev1.Namespace).Spec
			if more {
				spec.Finalizers = append(spec.Finalizers, own)
			} else {
				spec.Finalizers = spec.Finalizers[:len(spec.Finalizers)-1]
			}
			return nil
		}, updateOptions)
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *life) statusPatched() error {
	answer, err := l.api.answer("PatchStatus", l.ctx, l.last.GetName(), []byte(`{"status":{"conditions":[{"type":"Tried","status":"True"}]}}`))
	if err != nil {
		return err
	}
	if node := answer.(*corev1.Node); node.Status.Conditions[len(node.Status.Conditions)-1].Type != "Tried" && node.Status.Conditions[0].Type != "Tried" {
		return fmt.Errorf("conditions are %v", node.Status.Conditions)
	}
	return l.told("PatchStatus", answer, nil)
}

func (l *life) tokenCreated() error {
	seconds := int64(600)
	sent := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: []string{"a"}, ExpirationSeconds: &seconds}}
	answer, err := l.api.answer("CreateToken", l.ctx, l.last.GetName(), sent, createOptions)
	if err != nil {
		return err
	}
	status := answer.(*authenticationv1.TokenRequest).Status
	if status.Token == "" || status.ExpirationTimestamp.IsZero() {
		return fmt.Errorf("there is no token")
	}
	// The server's alone.
	sent.Status = status
	return holds("CreateToken", answer, sent)
}

func (l *life) debugged() error {
	return l.change("UpdateEphemeralContainers", func(next object) error {
		return decode([]byte(`{"spec":{"ephemeralContainers":[{"name":"debug","image":"tools:1","targetContainerName":"main","stdin":true}]}}`), next)
	}, updateOptions, l.last.GetName())
}

func (l *life) bound() error {
	sent := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: l.last.GetName(), Annotations: map[string]string{"example.com/bound": "yes"}}, Target: corev1.ObjectReference{Kind: "Node", Name: "typed"}}
	if err := l.pods().Bind(l.ctx, sent, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := l.reread(); err != nil {
		return err
	}
	if pod := l.last.(*corev1.Pod); pod.Spec.NodeName != "typed" || pod.Annotations["example.com/bound"] != "yes" {
		return fmt.Errorf("the pod is %v", pod)
	}
	return nil
}

// logged asks for the log of a pod whose node does not exist.
func (l *life) logged() error {
	_, err := l.pods().GetLogs(l.last.GetName(), &corev1.PodLogOptions{Container: "main"}).DoRaw(l.ctx)
	if status, is := err.(apierrors.APIStatus); !is || status.Status().Code < 400 {
		return fmt.Errorf("the log is answered with %v", err)
	}
	return nil
}

// evicted deletes pods that the watch does not see, with each version of Eviction.
func (l *life) evicted() error {
	l.used["Evict"], l.used["EvictV1beta1"] = true, true
	pods := l.pods()
	now := int64(0)
	at := metav1.ObjectMeta{Name: "evicted", Namespace: l.sample.Namespace}
	options := &metav1.DeleteOptions{GracePeriodSeconds: &now}
	beta := &policyv1beta1.Eviction{ObjectMeta: at, DeleteOptions: options}
	for name, evict := range map[string]func(context.Context) error{
		"Evict":        func(ctx context.Context) error { return pods.Evict(ctx, beta) },
		"EvictV1beta1": func(ctx context.Context) error { return pods.EvictV1beta1(ctx, beta) },
		"EvictV1": func(ctx context.Context) error {
			return pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: at, DeleteOptions: options})
		},
	} {
		pod := &corev1.Pod{ObjectMeta: at, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		if _, err := pods.Create(l.ctx, pod, createOptions); err != nil {
			return err
		}
		if err := evict(l.ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := pods.Get(l.ctx, at.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("Get after %s: %v", name, err)
		}
	}
	return nil
}

// recorded uses what the event recorder of client-go uses, on an event that the watch does not see.
func (l *life) recorded() error {
	for _, name := range []string{"UpdateWithEventNamespace", "PatchWithEventNamespace", "Search"} {
		l.used[name] = true
	}
	events := l.api.value.Interface().(typedcorev1.EventInterface)
	about := &corev1.ObjectReference{Kind: "Pod", Namespace: l.sample.Namespace, Name: "recorded", UID: "recorded", APIVersion: "v1"}
	made, err := events.CreateWithEventNamespace(&corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "recorded", Namespace: l.sample.Namespace}, InvolvedObject: *about, Reason: "Tried", Count: 1,
	})
	if err != nil {
		return err
	}
	made.Count = 2
	made, err = events.UpdateWithEventNamespace(made)
	if err != nil {
		return err
	}
	if _, err := events.PatchWithEventNamespace(made, []byte(`{"message":"patched"}`)); err != nil {
		return err
	}
	found, err := events.Search(scheme.Scheme, about)
	if err != nil {
		return err
	}
	if len(found.Items) != 1 || found.Items[0].Count != 2 || found.Items[0].Message != "patched" {
		return fmt.Errorf("found %v", found.Items)
	}
	return nil
}

func (l *life) pods() typedcorev1.PodInterface {
	return l.api.value.Interface().(typedcorev1.PodInterface)
}
