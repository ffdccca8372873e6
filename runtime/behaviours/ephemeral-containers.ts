/**
 * PUT and PATCH of a pod's ephemeral containers: nothing else is written (catalog resources.yaml: pods,
 * ephemeralcontainers).
 */
import type { SubresourceBehaviourFactory } from "../schema/behaviour.ts"
import type { ApiObject, ObjectMeta } from "../base/json.ts"
import { objectAt } from "./pods/fields.ts"

/** Sub-resource `ephemeralContainers`. The check `podUpdate` makes sure that existing ones do not change. */
export const ephemeralContainers: SubresourceBehaviourFactory = () => ({
  update(submitted, old) {
    const { ephemeralContainers: _before, ...spec } = objectAt(old, "spec") ?? {}
    const added = objectAt(submitted, "spec")?.ephemeralContainers
    return { ...old, metadata: metadataOf(submitted, old), spec: { ...spec, ...(added !== undefined && { ephemeralContainers: added }) } }
  },
})

/** The stored metadata with the version and uid that the client sent as preconditions. */
function metadataOf(submitted: ApiObject, old: ApiObject): ObjectMeta {
  const { resourceVersion: _version, ...kept } = old.metadata ?? {}
  const { resourceVersion, uid } = submitted.metadata ?? {}
  return { ...kept, ...(resourceVersion !== undefined && { resourceVersion }), ...(uid !== undefined && { uid }) }
}
