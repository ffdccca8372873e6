module orch-apiserver/test/clients/dynamic

go 1.22.0

require (
	k8s.io/apimachinery v0.30.14
	k8s.io/client-go v0.30.14
)
