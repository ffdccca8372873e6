/**
 * A namespace is deleted in two steps: it is marked Terminating and emptied by `background/namespace-emptying`, and it
 * is removed when `spec.finalizers` is empty (catalog resources.yaml: namespaces).
 */
import type { BehaviourFactory } from "../schema/behaviour.ts"
import { type ApiObject, isObject } from "../base/json.ts"
import { textsOf } from "./services/fields.ts"

/** Behaviour `namespaceLifecycle`. */
export const namespaceLifecycle: BehaviourFactory = ({ vendor }) => {
  const nameLabel = vendor.domain("orch.io/metadata.name")
  return {
    decoded: (object) => keepNameLabel(object, nameLabel),
    prepareCreate(object) {
      const finalizers = finalizersOf(object)
      const spec = isObject(object.spec) ? object.spec : {}
      object.spec = { ...spec, finalizers: [...finalizers, ...(finalizers.includes(vendor.word) ? [] : [vendor.word])] }
      object.status = { phase: "Active" }
    },
    startDeletion(object) {
      object.status = { ...(isObject(object.status) ? object.status : {}), phase: "Terminating" }
    },
    deletesInSteps: true,
    mayRemove: (object) => finalizersOf(object).length === 0,
  }
}

/** The label that selectors use for the namespace's name always equals the name. */
function keepNameLabel({ metadata }: ApiObject, key: string): void {
  if (metadata?.name !== undefined) metadata.labels = { ...metadata.labels, [key]: metadata.name }
}

function finalizersOf(object: ApiObject): readonly string[] {
  return textsOf(object.spec, "finalizers")
}
