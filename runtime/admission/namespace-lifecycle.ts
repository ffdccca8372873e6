/** Nothing is created in a namespace that is missing or going; catalog `admission.yaml` NamespaceLifecycle. */
import { forbidden, notFound } from "../errors.ts"
import type { Admission, AdmissionRequest } from "../registry/registry.ts"
import type { Vendor } from "../vendor.ts"

/** State of a namespace as admission reads it. */
export type NamespacePhase = "Active" | "Terminating" | "missing"

/** Called with a reader of the newest namespaces; `main` hands it in, so that admission does not import the registry's operations. */
export function namespaceLifecycle(options: { phase: (name: string) => Promise<NamespacePhase>; vendor: Vendor }): Admission {
  const immortal = new Set(["default", options.vendor.namespace("orch-system"), options.vendor.namespace("orch-public")])
  return async (request) => {
    const { kind } = request.handle
    const isNamespace = kind.group === "" && kind.resource === "namespaces"
    if (request.operation === "delete") {
      if (isNamespace && immortal.has(request.name)) throw forbidden(subject(request), "this namespace may not be deleted")
      return
    }
    if (request.operation !== "create" || !kind.namespaced) return
    const phase = await options.phase(request.namespace)
    if (phase === "missing") throw notFound({ group: "", resource: "namespaces", name: request.namespace })
    if (phase === "Active") return
    const message = `unable to create new content in namespace ${request.namespace} because it is being terminated`
    throw forbidden(subject(request), message, {
      causes: [
        { reason: "NamespaceTerminating", message: `namespace ${request.namespace} is being terminated`, field: "metadata.namespace" },
      ],
    })
  }
}

function subject(request: AdmissionRequest) {
  return { group: request.handle.kind.group, resource: request.handle.kind.resource, name: request.name }
}
