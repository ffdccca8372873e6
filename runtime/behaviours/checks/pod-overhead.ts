/** The overhead of a pod names resources like containers do (catalog validation.yaml: PodSpec, `overhead`). */
import type { JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { objectAt } from "../pods/fields.ts"
import { checkAmounts } from "./resource-requirements.ts"

/** Called for each pod spec, of pods and of templates. */
export function podOverhead(spec: JsonValue, context: CheckContext): void {
  checkAmounts(objectAt(spec, "overhead") ?? {}, "overhead", context)
}
