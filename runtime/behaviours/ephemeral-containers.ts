/**
 * PUT and PATCH of a pod's ephemeral containers: nothing else is written (catalog resources.yaml: pods,
 * ephemeralcontainers).
 */
import { defineSubresource } from "../schema/define.ts"
import type { Pod } from "../../generated/core/v1/pod/types.ts"

/** Sub-resource `ephemeralContainers`. The check `podUpdate` makes sure that existing ones do not change. */
export const ephemeralContainers = defineSubresource<Pod, Pod>({
  update(submitted, old): Pod {
    const { ephemeralContainers: _before, ...spec } = old.spec
    const added = submitted.spec.ephemeralContainers
    return { ...old, metadata: metadataOf(submitted, old), spec: { ...spec, ...(added !== undefined && { ephemeralContainers: added }) } }
  },
})

/** The stored metadata with the version and uid that the client sent as preconditions. */
function metadataOf(submitted: Pod, old: Pod): Pod["metadata"] {
  const { resourceVersion: _version, ...kept } = old.metadata
  const { resourceVersion, uid } = submitted.metadata
  return { ...kept, ...(resourceVersion !== undefined && { resourceVersion }), ...(uid !== undefined && { uid }) }
}
