/**
 * PUT of a namespace's `finalize`: a controller that has cleaned up removes its finalizer (catalog resources.yaml:
 * namespaces).
 */
import type { SubresourceBehaviourFactory } from "../schema/behaviour.ts"

/** Sub-resource `namespaceFinalize`: takes metadata and spec from the request; the status stays. */
export const namespaceFinalize: SubresourceBehaviourFactory = () => ({
  update: (submitted, old) => ({ ...old, metadata: submitted.metadata ?? {}, spec: submitted.spec ?? {} }),
})
