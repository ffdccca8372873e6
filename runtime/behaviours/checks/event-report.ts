/** Rules for the reporter of an event of the newer form (catalog validation.yaml: Event). Lengths are in bytes. */
import { formatFaults } from "../../schema/formats.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Event } from "../../../generated/events.orch.io/v1/event/types.ts"

const wordBytesMax = 128
const noteBytesMax = 1024

/** Called for each events.orch.io event. */
export const eventReport = defineCheck<Event>((event, context) => {
  checkReport(event, context, { controller: ["reportingController", event.reportingController], note: ["message", event.note] })
})

/** A field and its value. */
type Field = readonly [name: string, value: string | undefined]

/**
 * Shared by both forms of an event, which have different names for two fields. An event is of the newer form once
 * `eventTime` is set.
 */
export function checkReport(
  event: Pick<Event, "eventTime" | "reportingInstance" | "action" | "reason">,
  context: CheckContext<unknown>,
  { controller, note }: { readonly controller: Field; readonly note: Field },
): void {
  if (event.eventTime === null) return
  const [field, name = ""] = controller
  if (name === "") context.fail("Required", undefined, "", field)
  for (const fault of formatFaults("qualified-name", name)) context.fail("Invalid", name, fault, field)
  for (const word of ["reportingInstance", "action", "reason"] as const) {
    if ((event[word] ?? "") === "") context.fail("Required", undefined, "", word)
    checkLength([word, event[word]], wordBytesMax, context)
  }
  checkLength(note, noteBytesMax, context)
}

function checkLength([field, text = ""]: Field, max: number, context: CheckContext<unknown>): void {
  if (Buffer.byteLength(text) > max) context.fail("Invalid", "", `can have at most ${max} characters`, field)
}
