/** Behaviour of definitions besides validation (catalog resources.yaml: customresourcedefinitions). */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionStatus,
} from "../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { timeText } from "../base/time.ts"
import { cleanupFinalizer, withCondition } from "../definitions/conditions.ts"
import { dropDisabledFields } from "../definitions/check/index.ts"
import { deepEqual } from "../encoding/field-path.ts"
import { defineBehaviour } from "../schema/define.ts"
import { typed } from "../schema/typed.ts"

/** Behaviour `definitionLifecycle`. */
export const definitionLifecycle = defineBehaviour<CustomResourceDefinition>(({ vendor, clock, options }) => {
  const { CustomResourceFieldSelectors = false, CRDValidationRatcheting = true } = options["feature-gates"] ?? {}
  const disabled = { gates: { CustomResourceFieldSelectors, CRDValidationRatcheting }, prefix: vendor.extensionPrefix }
  return {
    decoded({ spec }) {
      // The reference keeps the hook in two fields, and has none where both are empty.
      const { webhook } = spec.conversion ?? {}
      if (webhook?.clientConfig === undefined && (webhook?.conversionReviewVersions ?? null) === null) delete spec.conversion?.webhook
    },
    prepareCreate(object) {
      dropDisabledFields(typed(object), disabled)
      object.status = withStoredVersion(object, { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null })
    },
    prepareUpdate(object, old, { subresource }) {
      // A status without stored versions gets the present one, which the spec has from the stored object.
      if (subresource === "status" && (object.status.storedVersions ?? []).length === 0)
        object.status = withStoredVersion(object, object.status)
      if (subresource !== undefined) return
      // A change of fields that are dropped counts, as in the reference.
      if (!deepEqual(object.spec, old.spec)) object.metadata = { ...object.metadata, generation: Number(old.metadata.generation ?? 0) + 1 }
      dropDisabledFields(typed(object), { ...disabled, old: typed(old) })
      object.status = withStoredVersion(object, object.status)
    },
    startDeletion(object) {
      const finalizer = vendor.group(cleanupFinalizer)
      const { finalizers = [] } = object.metadata
      if (!finalizers.includes(finalizer)) object.metadata = { ...object.metadata, finalizers: [...finalizers, finalizer] }
      const condition = {
        type: "Terminating",
        status: "True",
        reason: "InstanceDeletionPending",
        message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
      }
      const { conditions } = object.status
      object.status = { ...object.status, conditions: withCondition(conditions ?? [], condition, timeText(clock.nowMs())) }
    },
    deletesInSteps: true,
  }
})

/** Adds the present storage version to `storedVersions`, the versions that objects were ever stored in. */
function withStoredVersion({ spec }: CustomResourceDefinition, status: CustomResourceDefinitionStatus): CustomResourceDefinitionStatus {
  const stored = spec.versions?.find(({ storage }) => storage)?.name
  const before = status.storedVersions ?? []
  if (stored === undefined || before.includes(stored)) return status
  return { ...status, storedVersions: [...before, stored] }
}
