import type { Step } from "../http/env.ts"
import type { Vendor } from "../base/vendor.ts"

/**
 * Sends a Warning with the remedy to clients that use Kubernetes names on a server with other names: kubectl prints it,
 * and would otherwise only find no resources. A warning of the request itself replaces it. Their `Accept` names the
 * vendor (`g=meta.k8s.io`, `application/vnd.kubernetes.protobuf`).
 */
export function vendorHint({ vendor }: { vendor: Vendor }): Step {
  const text = `299 - "this server uses the names of --vendor=${vendor.name}; start it with --vendor=kubernetes for kubectl and client libraries"`
  return function vendorHint({ headers, outgoing }) {
    if (foreignAccept.test(headers.accept ?? "")) outgoing.setHeader("warning", text)
    return undefined
  }
}

const foreignAccept = /k8s\.io|vnd\.kubernetes/
