// Command access signs in with the ways of client-go and prints as whom, one line for each change of the user:
//
//	access -kubeconfig FILE -changes N     with the current context, until the user has changed N times
//	access -reread ...                     reads the token file again after a refusal, not within a minute
//	access -in-cluster                     with the files and variables of a pod
//	access -kubeconfig FILE -as JSON       in the name of the user of this rest.ImpersonationConfig
//
// A refusal is a line as well. On failure it prints the error and exits with 1.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/transport"
)

const (
	patience = time.Minute
	// Between two requests of a client that waits for its user to change.
	interval = 50 * time.Millisecond
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file with the server's address and a credential")
	inCluster := flag.Bool("in-cluster", false, "use the configuration of a pod")
	reread := flag.Bool("reread", false, "read the token file again after a refusal")
	as := flag.String("as", "", "user to impersonate")
	changes := flag.Int("changes", 0, "how often the user changes")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	config, err := configOf(*kubeconfig, *inCluster, *as)
	if err == nil {
		if *reread {
			config.Wrap(transport.ResettableTokenSourceWrapTransport(transport.NewCachedFileTokenSource(config.BearerTokenFile)))
			config.BearerToken, config.BearerTokenFile = "", ""
		}
		err = run(ctx, config, *changes)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, config *rest.Config, changes int) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	for before, left := "", changes; left >= 0; {
		user, err := whoami(ctx, client)
		// A new certificate closes the connections of the old one, also under a request.
		if err != nil && (changes == 0 || ctx.Err() != nil) {
			return err
		}
		if err != nil || user == before {
			time.Sleep(interval)
			continue
		}
		fmt.Println(user)
		before = user
		left--
	}
	return nil
}

func configOf(kubeconfig string, inCluster bool, as string) (config *rest.Config, err error) {
	if inCluster {
		config, err = rest.InClusterConfig()
	} else {
		config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	}
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	if as != "" {
		err = json.Unmarshal([]byte(as), &config.Impersonate)
	}
	return config, err
}

// whoami returns the user as JSON, or the refusal as a JSON text.
func whoami(ctx context.Context, client kubernetes.Interface) (string, error) {
	var said any
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	switch {
	case apierrors.IsUnauthorized(err), apierrors.IsForbidden(err):
		said = err.Error()
	case err != nil:
		return "", err
	default:
		said = review.Status.UserInfo
	}
	text, err := json.Marshal(said)
	return string(text), err
}
