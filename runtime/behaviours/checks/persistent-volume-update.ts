/** Fields of a volume that may not change (catalog validation.yaml: PersistentVolume, update). */
import { deepEqual } from "../../encoding/field-path.ts"
import type { JsonValue } from "../../base/json.ts"
import { typed } from "../../schema/typed.ts"
import { defineCheck } from "../../schema/define.ts"
import { dnsSubdomainFaults } from "../../schema/names.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { currentLabel } from "../pods/affinity-warnings.ts"
import type { Vendor } from "../../base/vendor.ts"
import type { PersistentVolumeSpec, VolumeNodeAffinity } from "../../../generated/core/v1/persistent-volume/types.ts"

/** Called for the spec of each volume, also of one that an attachment holds. */
export const persistentVolumeUpdate = defineCheck<PersistentVolumeSpec>((spec, context) => {
  const { old } = context
  if (old === undefined) return
  // The reference validates the volume twice, each time against the old one.
  if (old.volumeAttributesClassName !== undefined) for (const _time of [1, 2]) checkClass(spec, context)
  if (!deepEqual(sourceOf(spec), sourceOf(old)))
    context.fail("Forbidden", undefined, "spec.persistentvolumesource is immutable after creation", "persistentvolumesource")
  if (old.nodeAffinity !== undefined && !deepEqual(current(spec.nodeAffinity, context.vendor), current(old.nodeAffinity, context.vendor)))
    context.fail(
      "Invalid",
      spec.nodeAffinity === undefined ? "null" : typed<JsonValue>(spec.nodeAffinity),
      "field is immutable, except for updating from beta label to GA",
      "../nodeAffinity",
    )
  if (spec.volumeAttributesClassName !== old.volumeAttributesClassName) {
    const detail = "update is forbidden when the VolumeAttributesClass feature gate is disabled"
    context.fail("Forbidden", undefined, detail, "volumeAttributesClassName")
    if (spec.volumeAttributesClassName === undefined)
      context.fail("Forbidden", undefined, "update from non-nil value to nil is forbidden", "volumeAttributesClassName")
  }
})

/** A volume that had a class of attributes keeps the rules of the class, whatever the gate says. */
function checkClass({ csi, volumeAttributesClassName: name }: PersistentVolumeSpec, context: CheckContext<PersistentVolumeSpec>): void {
  if (name === undefined) return
  const at = "volumeAttributesClassName"
  if (name === "") context.fail("Required", undefined, "an empty string is disallowed", at)
  else for (const fault of dnsSubdomainFaults(name)) context.fail("Invalid", name, fault, at)
  if (csi === undefined) context.fail("Required", undefined, `has to be specified when using ${at}`, "csi")
}

/** The fields that say where the storage is. */
function sourceOf(spec: PersistentVolumeSpec): Partial<PersistentVolumeSpec> {
  const {
    accessModes: _modes,
    capacity: _capacity,
    claimRef: _claim,
    mountOptions: _options,
    nodeAffinity: _affinity,
    persistentVolumeReclaimPolicy: _policy,
    storageClassName: _storageClass,
    volumeAttributesClassName: _attributes,
    volumeMode: _mode,
    ...source
  } = spec
  return source
}

/** The affinity with current names in place of old ones. */
function current(affinity: VolumeNodeAffinity | undefined, vendor: Vendor): VolumeNodeAffinity | undefined {
  if (affinity?.required === undefined) return affinity
  const nodeSelectorTerms = affinity.required.nodeSelectorTerms?.map((term) => ({
    ...term,
    ...(term.matchExpressions !== undefined && {
      matchExpressions: term.matchExpressions.map((wanted) => ({ ...wanted, key: currentLabel(wanted.key, vendor) })),
    }),
  }))
  return { required: { ...affinity.required, ...(nodeSelectorTerms !== undefined && { nodeSelectorTerms }) } }
}
