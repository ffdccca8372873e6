/**
 * A volume that an attachment holds whole (catalog validation.yaml: VolumeAttachment). It belongs to a CSI driver, and
 * has no fields that bind a volume to a claim.
 */
import type { JsonObject } from "../../base/json.ts"
import { defineCheck } from "../../schema/define.ts"
import { typed } from "../../schema/typed.ts"
import { field } from "../../schema/validate.ts"
import { validatePersistentVolumeSource } from "../../../generated/core/v1/shared/persistent-volume-sources/validate.ts"
import type { VolumeAttachmentSource } from "../../../generated/storage.orch.io/v1/volume-attachment/types.ts"

const purpose = "in the context of inline volumes"
const refused = ["claimRef", "capacity", "nodeAffinity", "storageClassName"] as const
const accessModes: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]

/** Called for the source of each attachment. */
export const inlineVolume = defineCheck<VolumeAttachmentSource>(({ inlineVolumeSpec: volume, persistentVolumeName: name }, context) => {
  if (volume === undefined || name !== undefined) return
  const at = "inlineVolumeSpec"
  for (const name of refused) {
    const value = volume[name]
    const isSet = name === "capacity" ? Object.keys(volume.capacity ?? {}).length > 0 : value !== undefined && value !== ""
    if (isSet) context.fail("Forbidden", undefined, `may not be specified ${purpose}`, `${at}.${name}`)
  }
  if (volume.csi === undefined) context.fail("Required", undefined, `has to be specified ${purpose}`, `${at}.csi`)
  const { accessModes: modes = [], persistentVolumeReclaimPolicy: policy = "Retain", volumeMode: mode = "Filesystem" } = volume
  if (modes.length === 0) context.fail("Required", undefined, "", `${at}.accessModes`)
  for (const each of modes) {
    if (!accessModes.includes(each))
      context.failures.add({
        type: "NotSupported",
        field: context.at(`${at}.accessModes`),
        value: each,
        supported: accessModes,
        detail: "",
      })
  }
  if (modes.includes("ReadWriteOncePod") && modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode)))
    context.fail("Forbidden", undefined, "may not use ReadWriteOncePod with other access modes", `${at}.accessModes`)
  if (policy !== "Retain") context.fail("Forbidden", undefined, `may only be Retain ${purpose}`, `${at}.persistentVolumeReclaimPolicy`)
  if (mode !== "Filesystem")
    context.fail("Forbidden", undefined, `may not specify volumeMode other than Filesystem ${purpose}`, `${at}.volumeMode`)
  field(typed<JsonObject>({ [at]: volume }), at, context, validatePersistentVolumeSource)
})
