/** Rules for new attachments only (catalog validation.yaml: VolumeAttachment): older ones may have any names. */
import { formatFaults } from "../../schema/formats.ts"
import { defineCheck } from "../../schema/define.ts"
import type { VolumeAttachmentSpec } from "../../../generated/storage.orch.io/v1/volume-attachment/types.ts"

const driverNameBytesMax = 63

/** Called for the spec of each attachment. */
export const newAttachment = defineCheck<VolumeAttachmentSpec>((spec, context) => {
  if (context.operation !== "create") return
  const { attacher } = spec
  const { persistentVolumeName: volume } = spec.source
  if (attacher === "") context.fail("Required", undefined, "", "attacher")
  if (Buffer.byteLength(attacher) > driverNameBytesMax)
    context.fail("TooLong", undefined, `must have at most ${driverNameBytesMax} bytes`, "attacher")
  for (const fault of formatFaults("csi-driver-name", attacher)) context.fail("Invalid", attacher, fault, "attacher")
  if (volume === undefined) return
  for (const fault of formatFaults("dns-subdomain", volume)) context.fail("Invalid", volume, fault, "source.persistentVolumeName")
})
