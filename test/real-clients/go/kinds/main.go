// Command kinds uses every method of every typed client of client-go, of the clients of definitions and of those of
// APIServices, in one encoding, and reads along in the other one. Each kind has a sample; a client without one, and a
// method without a step, is a failure, unless unserved names it. It prints a line for each kind whose life went well,
// or all failures and exits with 1.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	definitions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	definitionscheme "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/scheme"
)

const (
	patience = 2 * time.Minute
	// Lives at a time; more would only wait for the server.
	together = 8
)

// sample is a kind's object as the test gives it. Namespace is where it is created, empty for kinds of the cluster.
type sample struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Namespace  string          `json:"namespace"`
	Object     json.RawMessage `json:"object"`
	Status     json.RawMessage `json:"status"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file with the server's address and a credential")
	samples := flag.String("samples", "", "file with the sample of each kind, in JSON")
	compact := flag.Bool("compact", false, "write in the compact encoding and read along in JSON, not the other way round")
	flag.Parse()
	// Hide the log of the libraries; this program prints its own results.
	klog.SetLogger(logr.Discard())
	utilruntime.Must(definitionscheme.AddToScheme(scheme.Scheme))
	utilruntime.Must(aggregatorscheme.AddToScheme(scheme.Scheme))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lines, failures := run(ctx, *kubeconfig, *samples, *compact)
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	for _, failure := range failures {
		fmt.Fprintln(os.Stderr, failure)
	}
	if len(failures) > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig, file string, compact bool) (lines []string, failures []error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, []error{err}
	}
	var samples []sample
	if err := json.Unmarshal(text, &samples); err != nil {
		return nil, []error{err}
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, []error{err}
	}
	encodings := []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf}
	if compact {
		encodings = []string{runtime.ContentTypeProtobuf, runtime.ContentTypeJSON}
	}
	var clients [2][]any
	for i, encoding := range encodings {
		if clients[i], err = clientsIn(config, encoding); err != nil {
			return nil, []error{err}
		}
	}
	namespaces := clients[0][0].(kubernetes.Interface).CoreV1().Namespaces()
	var lives []*life
	for i, client := range clients[0] {
		planned, errs := plan(ctx, client, clients[1][i], samples)
		lives, failures = append(lives, planned...), append(failures, errs...)
	}
	var lock sync.Mutex
	var group sync.WaitGroup
	turns := make(chan struct{}, together)
	for _, one := range lives {
		group.Add(1)
		turns <- struct{}{}
		go func() {
			defer func() { <-turns; group.Done() }()
			err := one.inNamespace(ctx, namespaces)
			lock.Lock()
			defer lock.Unlock()
			if err != nil {
				failures = append(failures, fmt.Errorf("%s: %w", one.api.name, err))
				return
			}
			lines = append(lines, one.line())
		}()
	}
	group.Wait()
	return lines, failures
}

// clientsIn returns the clients of an encoding, each an interface with a method for each group and version.
func clientsIn(config *rest.Config, encoding string) ([]any, error) {
	own := rest.CopyConfig(config)
	own.QPS = -1
	own.ContentType = encoding
	own.WarningHandler = rest.NoWarnings{}
	own.Wrap(func(next http.RoundTripper) http.RoundTripper { return answersIn{encoding, next} })
	builtIn, err := kubernetes.NewForConfig(own)
	if err != nil {
		return nil, err
	}
	ofDefinitions, err := definitions.NewForConfig(own)
	if err != nil {
		return nil, err
	}
	ofServices, err := aggregator.NewForConfig(own)
	return []any{kubernetes.Interface(builtIn), definitions.Interface(ofDefinitions), aggregator.Interface(ofServices)}, err
}

// answersIn fails a request whose answer is in another encoding: clients would read it without a word.
type answersIn struct {
	encoding string
	next     http.RoundTripper
}

func (a answersIn) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(request)
	if err != nil || response.StatusCode >= http.StatusMultipleChoices || strings.HasSuffix(request.URL.Path, "/log") {
		return response, err
	}
	if got := response.Header.Get("Content-Type"); !strings.HasPrefix(got, a.encoding) {
		response.Body.Close()
		return nil, fmt.Errorf("%s %s is answered in %q", request.Method, request.URL, got)
	}
	return response, nil
}

// inNamespace lives in the sample's namespace, which it makes and deletes.
func (l *life) inNamespace(ctx context.Context, namespaces namespaceClient) error {
	l.ctx = ctx
	if l.sample.Namespace == "" {
		return l.all()
	}
	home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: l.sample.Namespace}}
	if _, err := namespaces.Create(ctx, home, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("namespace: %w", err)
	}
	if err := l.all(); err != nil {
		return err
	}
	return namespaces.Delete(ctx, l.sample.Namespace, metav1.DeleteOptions{})
}
