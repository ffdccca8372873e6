/**
 * A volume that an attachment holds whole (catalog validation.yaml: VolumeAttachment). It is one of a CSI driver, and
 * has nothing of what binds a volume to a claim.
 */
import { defineCheck } from "../../schema/define.ts"
import type { VolumeAttachmentSource } from "../../../generated/storage.orch.io/v1/volume-attachment/types.ts"

const purpose = "in the context of inline volumes"
const refused = ["claimRef", "capacity", "nodeAffinity", "storageClassName"] as const

/** Called for the source of each attachment. */
export const inlineVolume = defineCheck<VolumeAttachmentSource>(({ inlineVolumeSpec: volume, persistentVolumeName: name }, context) => {
  if (volume === undefined || name !== undefined) return
  const at = "inlineVolumeSpec"
  for (const field of refused) {
    const value = volume[field]
    const isSet = field === "capacity" ? Object.keys(volume.capacity ?? {}).length > 0 : value !== undefined && value !== ""
    if (isSet) context.fail("Forbidden", undefined, `may not be specified ${purpose}`, `${at}.${field}`)
  }
  if (volume.csi === undefined) context.fail("Required", undefined, `has to be specified ${purpose}`, `${at}.csi`)
  if ((volume.accessModes ?? []).length === 0) context.fail("Required", undefined, "", `${at}.accessModes`)
  if (!Object.keys(volume).some((name) => !ofNoSource.has(name))) context.fail("Required", undefined, "must specify a volume type", at)
})

/** The fields of a volume that do not say where it is. */
const ofNoSource: ReadonlySet<string> = new Set([
  ...refused,
  "accessModes",
  "persistentVolumeReclaimPolicy",
  "mountOptions",
  "volumeMode",
  "volumeAttributesClassName",
])
