/** Changes allowed in a claim: it may be bound and, once it is, it may grow (catalog validation.yaml). */
import { deepEqual } from "../../encoding/field-path.ts"
import { compareQuantities, parseQuantity } from "../../base/quantity.ts"
import { defineCheck } from "../../schema/define.ts"
import type { PersistentVolumeClaim } from "../../../generated/core/v1/persistent-volume-claim/types.ts"
import type { PersistentVolumeClaimSpec } from "../../../generated/core/v1/shared/persistent-volume-claim-spec/types.ts"

const immutableText = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"

/** Called for each claim; checks updates of the claim itself. */
export const claimUpdate = defineCheck<PersistentVolumeClaim>((claim, context) => {
  const { old } = context
  if (old === undefined || context.subresource !== undefined) return
  const allowed = allowedChanges(claim, old, context.vendor.domain("volume.beta.orch.io/storage-class"))
  const hasChanged = !deepEqual(claim.spec, allowed)
  if (hasChanged) context.fail("Forbidden", undefined, immutableText, "spec")
  if (claim.spec.volumeMode !== old.spec.volumeMode) context.fail("Invalid", claim.spec.volumeMode, "field is immutable", "volumeMode")
  const [before = "0", after = "0"] = [old, claim].map(({ spec }) => spec.resources.requests?.storage)
  if (compareQuantities(parseQuantity(after), parseQuantity(before)) < 0)
    context.fail("Forbidden", undefined, "field can not be less than previous value", "spec.resources.requests.storage")
})

/** The stored spec with the changes of the new one that are allowed. */
function allowedChanges(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, annotation: string): PersistentVolumeClaimSpec {
  const { spec } = claim
  const allowed = { ...old.spec }
  if ((old.spec.volumeName ?? "") === "" && spec.volumeName !== undefined) allowed.volumeName = spec.volumeName
  const classBefore = old.spec.storageClassName ?? old.metadata.annotations?.[annotation]
  const mayTakeClass = old.spec.storageClassName === undefined && (classBefore === undefined || classBefore === spec.storageClassName)
  if (mayTakeClass && spec.storageClassName !== undefined) allowed.storageClassName = spec.storageClassName
  if (old.status.phase !== "Bound") return allowed
  const { storage } = spec.resources.requests ?? {}
  if (storage !== undefined) allowed.resources = { ...old.spec.resources, requests: { ...old.spec.resources.requests, storage } }
  return allowed
}
