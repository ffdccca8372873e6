/** Rules for the reporter of a core event of the newer form (catalog validation.yaml: core/v1 Event). */
import { defineCheck } from "../../schema/define.ts"
import type { Event } from "../../../generated/core/v1/event/types.ts"
import { checkReport } from "./event-report.ts"

/** Called for each core event. */
export const coreEventReport = defineCheck<Event>((event, context) => {
  checkReport(event, context, { controller: ["reportingComponent", event.reportingComponent], note: ["message", event.message] })
})
