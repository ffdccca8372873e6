/** What a core event of the newer form must say about its reporter (catalog validation.yaml: core/v1 Event). */
import type { JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { checkReport } from "./event-report.ts"

/** Called for each core event. */
export function coreEventReport(event: JsonValue, context: CheckContext): void {
  checkReport(event, context, "reportingComponent", "message")
}
