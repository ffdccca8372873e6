/**
 * A namespace is deleted in two steps: it is marked Terminating and emptied by `background/namespace-emptying`, and it
 * is removed when `spec.finalizers` is empty (catalog resources.yaml: namespaces).
 */
import { defineBehaviour } from "../schema/define.ts"
import type { Namespace } from "../../generated/core/v1/namespace/types.ts"

/** Behaviour `namespaceLifecycle`. */
export const namespaceLifecycle = defineBehaviour<Namespace>(({ vendor }) => {
  const nameLabel = vendor.domain("orch.io/metadata.name")
  return {
    decoded: (object) => keepNameLabel(object, nameLabel),
    prepareCreate(object) {
      // A generated name is known only now.
      keepNameLabel(object, nameLabel)
      const { finalizers = [] } = object.spec
      object.spec = { ...object.spec, finalizers: [...finalizers, ...(finalizers.includes(vendor.word) ? [] : [vendor.word])] }
      object.status = { phase: "Active" }
    },
    startDeletion(object) {
      object.status = { ...object.status, phase: "Terminating" }
    },
    deletesInSteps: true,
    mayRemove: (object) => (object.spec.finalizers ?? []).length === 0,
  }
})

/** The label that selectors use for the namespace's name always equals the name. */
function keepNameLabel({ metadata }: Namespace, key: string): void {
  if (metadata.name !== undefined) metadata.labels = { ...metadata.labels, [key]: metadata.name }
}
