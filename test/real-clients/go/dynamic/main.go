// Command dynamic uses custom objects with the client-go of this module.
package main

import "orch-apiserver/test/clients/dynamic"

func main() {
	dynamic.Main()
}
