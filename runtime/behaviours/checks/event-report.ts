/**
 * What an event of the newer form must say about its reporter (catalog validation.yaml: Event). Lengths are in bytes.
 */
import { formatFaults } from "../../schema/formats.ts"
import type { JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { textOf } from "../pods/fields.ts"

const wordBytesMax = 128
const noteBytesMax = 1024

/** Called for each events.orch.io event. */
export function eventReport(event: JsonValue, context: CheckContext): void {
  checkReport(event, context, "reportingController", "note")
}

/**
 * Shared by both forms of an event, which have different names for two fields. An event is of the newer form once
 * `eventTime` is set.
 */
export function checkReport(event: JsonValue, context: CheckContext, controller: string, note: string): void {
  if (textOf(event, "eventTime") === "") return
  const name = textOf(event, controller)
  if (name === "") context.fail("Required", undefined, "", controller)
  for (const fault of formatFaults("qualified-name", name)) context.fail("Invalid", name, fault, controller)
  for (const field of ["reportingInstance", "action", "reason"]) {
    if (textOf(event, field) === "") context.fail("Required", undefined, "", field)
    checkLength(event, context, field, wordBytesMax)
  }
  checkLength(event, context, note, noteBytesMax)
}

function checkLength(event: JsonValue, context: CheckContext, field: string, max: number): void {
  const text = textOf(event, field)
  if (Buffer.byteLength(text) > max) context.fail("Invalid", text, `can have at most ${max} characters`, field)
}
