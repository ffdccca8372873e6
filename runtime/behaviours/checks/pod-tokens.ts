/**
 * A new pod that mounts a token must name the service account (catalog validation.yaml: Pod, create). Admission
 * normally sets it.
 */
import type { JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { listOf, objectAt, textOf } from "../pods/fields.ts"

/** Called for each pod. */
export function podTokens(pod: JsonValue, context: CheckContext): void {
  const spec = objectAt(pod, "spec")
  if (context.operation !== "create" || textOf(spec, "serviceAccountName") !== "") return
  for (const [index, volume] of listOf(spec, "volumes").entries()) {
    for (const [position, source] of listOf(volume["projected"], "sources").entries()) {
      if (source["serviceAccountToken"] === undefined) continue
      context.fail(
        "Forbidden",
        undefined,
        "must not be specified when serviceAccountName is not set",
        `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`,
      )
    }
  }
}
