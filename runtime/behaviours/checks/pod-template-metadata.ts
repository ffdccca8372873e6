/**
 * Labels and annotations that a template gives to its pods; the rest of its metadata is stored without checks (catalog
 * validation.yaml: PodTemplateSpec).
 */
import { formatFaults } from "../../schema/formats.ts"
import { defineCheck } from "../../schema/define.ts"
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"
import { checkAnnotations } from "./pod-annotations.ts"

/** Bytes of all keys and values together, the limit for annotations of any object. */
const annotationsBytesMax = 262_144

/** Called for each pod template. */
export const podTemplateMetadata = defineCheck<PodTemplateSpec>((template, context) => {
  for (const [key, value] of Object.entries(template.metadata.labels ?? {})) {
    for (const fault of formatFaults("qualified-name", key)) context.fail("Invalid", key, fault, "metadata.labels")
    for (const fault of formatFaults("label-value", value)) context.fail("Invalid", value, fault, "metadata.labels")
  }
  let bytes = 0
  for (const [key, value] of Object.entries(template.metadata.annotations ?? {})) {
    for (const fault of formatFaults("annotation-key", key)) context.fail("Invalid", key, fault, "metadata.annotations")
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (bytes > annotationsBytesMax)
    context.fail("TooLong", undefined, `must have at most ${annotationsBytesMax} bytes`, "metadata.annotations")
  checkAnnotations(template, context)
})
