/** Claims and volumes get the finalizers that keep them while they are used; catalog `admission.yaml`. */
import type { AdmissionPluginFactory } from "../plugin-deps.ts"

/** By resource of the core group. A controller manager removes them from deleted objects that nothing uses. */
const finalizers: ReadonlyMap<string, string> = new Map([
  ["persistentvolumes", "orch.io/pv-protection"],
  ["persistentvolumeclaims", "orch.io/pvc-protection"],
])

/** Adds the finalizer to a new object that does not have it. */
export const storageProtection: AdmissionPluginFactory = ({ vendor }) => ({
  name: "StorageObjectInUseProtection",
  operations: ["CREATE"],
  mutate({ resource, subresource, object }) {
    const neutral = resource.group === "" && subresource === "" ? finalizers.get(resource.resource) : undefined
    if (neutral === undefined || object === undefined) return undefined
    const finalizer = vendor.domain(neutral)
    const present = object.metadata?.finalizers ?? []
    if (present.includes(finalizer)) return undefined
    return { ...object, metadata: { ...object.metadata, finalizers: [...present, finalizer] } }
  },
})
