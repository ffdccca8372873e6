/**
 * Labels and annotations that a template gives to its pods; the rest of its metadata is stored without checks (catalog
 * validation.yaml: PodTemplateSpec).
 */
import { formatFaults } from "../../schema/formats.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"
import { checkAnnotations } from "./pod-annotations.ts"

/** Bytes of all keys and values together, the limit for annotations of any object. */
const annotationsBytesMax = 262_144

/** Called for each pod template. */
export const podTemplateMetadata = defineCheck<PodTemplateSpec>((template, context) => {
  checkTemplateMetadata(template, "", context)
  checkAnnotations(template, "annotations", context)
})

/**
 * Checks labels and annotations, whose paths begin with `at`: causes leave out that they are metadata. Also called for
 * templates that are not checked whole.
 */
export function checkTemplateMetadata(template: PodTemplateSpec, at: string, context: CheckContext<unknown>): void {
  for (const [key, value] of Object.entries(template.metadata.labels ?? {})) {
    for (const fault of formatFaults("qualified-name", key)) context.fail("Invalid", key, fault, `${at}labels`)
    for (const fault of formatFaults("label-value", value)) context.fail("Invalid", value, fault, `${at}labels`)
  }
  let bytes = 0
  for (const [key, value] of Object.entries(template.metadata.annotations ?? {})) {
    for (const fault of formatFaults("annotation-key", key)) context.fail("Invalid", key, fault, `${at}annotations`)
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (bytes > annotationsBytesMax) context.fail("TooLong", undefined, `must have at most ${annotationsBytesMax} bytes`, `${at}annotations`)
}
