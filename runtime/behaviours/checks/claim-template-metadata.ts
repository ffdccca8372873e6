/**
 * The claim of an ephemeral volume takes labels and annotations from its template; its name is fixed (catalog
 * validation.yaml: Volume).
 */
import { nonZero } from "../../schema/expression.ts"
import { defineCheck } from "../../schema/define.ts"
import type { PersistentVolumeClaimTemplate } from "../../../generated/core/v1/shared/volumes/types.ts"

/** Called for each claim template of a pod. */
export const claimTemplateMetadata = defineCheck<PersistentVolumeClaimTemplate>((template, context) => {
  for (const [name, value] of Object.entries(template.metadata)) {
    if (name === "labels" || name === "annotations" || !nonZero(value)) continue
    context.fail("Forbidden", undefined, "cannot be set for an ephemeral volume", `metadata.${name}`)
  }
})
