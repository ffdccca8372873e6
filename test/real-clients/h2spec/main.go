// Command h2spec runs all HTTP/2 and HPACK cases of h2spec, in the release of go.mod, against a server on loopback over
// TLS. The output of h2spec goes to standard output, and each failed case to standard error, one per line. Arguments after
// the flags select cases: http2/5.1/5, hpack/4.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/generic"
	"github.com/summerwind/h2spec/hpack"
	"github.com/summerwind/h2spec/http2"
	"github.com/summerwind/h2spec/log"
	"github.com/summerwind/h2spec/reporter"
	"github.com/summerwind/h2spec/spec"
)

func main() {
	port := flag.Int("port", 6443, "port of the server")
	path := flag.String("path", "/version", "path that anybody may read, with an answer of five bytes or more: some cases are skipped otherwise")
	timeout := flag.Duration("timeout", 5*time.Second, "how long a case waits for a frame; only failing cases wait in vain")
	pause := flag.Duration("pause", 10*time.Millisecond, "frames within this of each other reach the server as one; 0: as h2spec writes them")
	verbose := flag.Bool("verbose", false, "show every frame")
	flag.Parse()

	if *pause > 0 {
		gathering, err := gather(fmt.Sprintf("127.0.0.1:%d", *port), *pause)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		port = &gathering
	}
	settings := &config.Config{
		Host:         "127.0.0.1",
		Port:         *port,
		Path:         *path,
		Timeout:      *timeout,
		MaxHeaderLen: 4000,
		Strict:       true,
		TLS:          true,
		Insecure:     true,
		Verbose:      *verbose,
		Sections:     flag.Args(),
	}
	groups := []*spec.TestGroup{generic.Spec(), http2.Spec(), hpack.Spec()}
	for _, group := range groups {
		group.Test(settings)
	}
	log.SetIndentLevel(0)
	reporter.Summary(groups)
	if failed := tell(groups); failed > 0 {
		os.Exit(1)
	}
}

// tell prints the failed cases and returns their number.
func tell(groups []*spec.TestGroup) int {
	failed := 0
	for _, group := range groups {
		for _, test := range append(group.Tests, group.StrictTests...) {
			if result := test.Result; result != nil && result.Failed {
				fmt.Fprintf(os.Stderr, "%s/%d %s: %s\n", group.ID(), result.Sequence, test.Desc, reason(result.Error))
				failed++
			}
		}
		failed += tell(group.Groups)
	}
	return failed
}

func reason(err error) string {
	var unmet *spec.TestError
	if !errors.As(err, &unmet) {
		return err.Error()
	}
	text := fmt.Sprintf("expected %s, got %s", strings.Join(unmet.Expected, " or "), unmet.Actual)
	// The data of a ping is padded with NUL bytes.
	return strings.ReplaceAll(text, "\x00", "")
}
