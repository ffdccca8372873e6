/** Limits the metadata that a driver returned for an attached volume (catalog validation.yaml: VolumeAttachment). */
import { defineCheck } from "../../schema/define.ts"
import type { VolumeAttachmentStatus } from "../../../generated/storage.orch.io/v1/volume-attachment/types.ts"

const metadataBytesMax = 256 * 1024

/** Called for the status of each attachment. */
export const attachmentMetadata = defineCheck<VolumeAttachmentStatus>((status, context) => {
  let bytes = 0
  for (const [key, value] of Object.entries(status.attachmentMetadata ?? {})) bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  if (bytes > metadataBytesMax) context.fail("TooLong", undefined, `must have at most ${metadataBytesMax} bytes`, "attachmentMetadata")
})
