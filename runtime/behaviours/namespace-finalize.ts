/** PUT of a namespace's `finalize`: who has cleaned up takes the own finalizer out (catalog resources.yaml: namespaces). */
import type { SubresourceBehaviourFactory } from "../kit/behaviour.ts"

/** Sub-resource `namespaceFinalize`: takes metadata and spec of what was sent; the status stays. */
export const namespaceFinalize: SubresourceBehaviourFactory = () => ({
  update: (submitted, old) => ({ ...old, metadata: submitted.metadata ?? {}, spec: submitted.spec ?? {} }),
})
