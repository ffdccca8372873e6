/**
 * The claim of an ephemeral volume takes labels and annotations from its template; its name is fixed (catalog
 * validation.yaml: Volume).
 */
import { nonZero } from "../../schema/expression.ts"
import type { JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { objectAt } from "../pods/fields.ts"

/** Called for each claim template of a pod. */
export function claimTemplateMetadata(template: JsonValue, context: CheckContext): void {
  for (const [name, value] of Object.entries(objectAt(template, "metadata") ?? {})) {
    if (name === "labels" || name === "annotations" || !nonZero(value)) continue
    context.fail("Forbidden", undefined, "cannot be set for an ephemeral volume", `metadata.${name}`)
  }
}
