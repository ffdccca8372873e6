//go:build tools

// Package etcdbuild names the etcd that tests run against beside the one of the system, and pins its version:
//
//	go build -o ~/.cache/orch-test/etcd go.etcd.io/etcd/server/v3
package etcdbuild

import _ "go.etcd.io/etcd/server/v3"
