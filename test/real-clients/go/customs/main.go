// Command customs is an operator built with controller-runtime for a kind that a definition adds, and the test that its
// author would write: the definition is installed as envtest does it, ovens are written through the typed client, and
// what the operator makes of them is compared. It prints a line for each part that worked, or the error and exits
// with 1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const patience = time.Minute

var scheme = runtime.NewScheme()

func main() {
	// The library has registered flags of its own in the default set.
	flags := flag.NewFlagSet("customs", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "file with the server's address and a credential")
	definition := flags.String("definition", "", "file with the definition of ovens")
	_ = flags.Parse(os.Args[1:])
	// Hide the log of the libraries; this program prints its own results.
	log.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(addToScheme(scheme))
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		config.QPS, config.Burst = -1, 0
		err = run(ctx, config, *definition)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, config *rest.Config, definition string) error {
	for _, encoding := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		encoded := rest.CopyConfig(config)
		encoded.ContentType = encoding
		if err := typed(ctx, encoded); err != nil {
			return fmt.Errorf("typed client in %s: %w", encoding, err)
		}
	}
	fmt.Println("typed client works")
	options := envtest.CRDInstallOptions{Paths: []string{definition}, ErrorIfPathMissing: true, MaxTime: patience}
	if _, err := envtest.InstallCRDs(config, options); err != nil {
		return fmt.Errorf("installation: %w", err)
	}
	// A second installation updates what is there.
	if _, err := envtest.InstallCRDs(config, options); err != nil {
		return fmt.Errorf("second installation: %w", err)
	}
	fmt.Println("installation works")
	manager, err := newManager(config)
	if err != nil {
		return err
	}
	managing, stop := context.WithCancel(ctx)
	defer stop()
	over := make(chan error, 1)
	go func() { over <- manager.Start(managing) }()
	api, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	parts := []struct {
		name string
		do   func(context.Context, client.Client) error
	}{{"reconciliation", reconciled}, {"refusals", refused}, {"tear-down", tornDown}}
	for _, part := range parts {
		if err := part.do(ctx, api); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Println(part.name, "works")
	}
	stop()
	if err := <-over; err != nil {
		return fmt.Errorf("the manager ended with %w", err)
	}
	return envtest.UninstallCRDs(config, options)
}
