/** Namespaces end in two steps: marked Terminating, emptied by the namespace controller, gone when `spec.finalizers` is empty. */
import type { BehaviourFactory, SubresourceBehaviourFactory } from "../kit/behaviour.ts"
import { type ApiObject, isObject, type JsonObject } from "../kit/json.ts"

/** Behaviour `namespaceLifecycle`; catalog `resources.yaml` namespaces. */
export const namespaceLifecycle: BehaviourFactory = ({ vendor }) => {
  const nameLabel = vendor.domain("orch.io/metadata.name")
  return {
  prepareCreate(object) {
    const spec = isObject(object.spec) ? object.spec : {}
    object.spec = spec
    const finalizers = finalizersOf(object)
    spec.finalizers = finalizers.includes(vendor.word) ? finalizers : [...finalizers, vendor.word]
    object.status = { phase: "Active" }
    keepNameLabel(object, nameLabel)
  },
  prepareUpdate(object, old, { subresource }) {
    if (subresource === undefined) {
      const spec = isObject(object.spec) ? object.spec : {}
      object.spec = { ...spec, finalizers: finalizersOf(old) }
    }
    keepNameLabel(object, nameLabel)
  },
  startDeletion(object) {
    object.status = { ...(isObject(object.status) ? object.status : {}), phase: "Terminating" }
    if (object.metadata !== undefined && (object.metadata.finalizers ?? []).length === 0) delete object.metadata.deletionGracePeriodSeconds
  },
  mayRemove: (object) => finalizersOf(object).length === 0,
  }
}

/** Sub-resource `finalize`: takes the spec of what was sent, everything else stays. */
export const namespaceFinalize: SubresourceBehaviourFactory = () => ({
  update: (submitted, old) => ({ ...old, metadata: submitted.metadata ?? {}, spec: submitted.spec ?? {} }),
})

/** The label that selectors find a namespace by always equals its name. */
function keepNameLabel(object: ApiObject, key: string): void {
  const { metadata } = object
  if (metadata?.name !== undefined) metadata.labels = { ...metadata.labels, [key]: metadata.name }
}

function finalizersOf(object: ApiObject): string[] {
  const spec: JsonObject = isObject(object.spec) ? object.spec : {}
  return Array.isArray(spec.finalizers) ? spec.finalizers.filter((finalizer): finalizer is string => typeof finalizer === "string") : []
}
