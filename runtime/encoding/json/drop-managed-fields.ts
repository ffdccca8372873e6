/** Leaves `metadata.managedFields` out of the JSON of objects, lists and tables without parsing it. */
import { turnScannedBytes } from "../../base/audit-limits.ts"
import type { Stages } from "../../base/turns.ts"
import { endOfValue, valueOfKey } from "./bytes.ts"
import { closeBracket, comma, openBracket } from "./punctuation.ts"

/** A part to leave out; `end` is behind it. */
interface Span {
  readonly start: number
  readonly end: number
}

const key = "managedFields"

/**
 * Returns a copy of the JSON without the fields of its object, of the items of a list, and of the objects in the rows
 * of a table. `json` is compact, as this server writes it. Takes turns over a long list.
 */
export function* droppingManagedFields(json: Buffer): Stages<Buffer> {
  const spans: Span[] = []
  addSpan(json, 0, spans)
  let before = 0
  const isTable = kindOf(json) === "Table"
  let at = firstElement(json, isTable)
  while (at < json.length && json[at] !== closeBracket) {
    const object = isTable ? valueOfKey(json, at, "object") : at
    if (object >= 0) addSpan(json, object, spans)
    at = endOfValue(json, at)
    if (json[at] === comma) at++
    if (at - before > turnScannedBytes) {
      before = at
      yield
    }
  }
  return without(json, spans)
}

/** Only compared with names of kinds, which have no escapes. */
function kindOf(json: Buffer): string {
  const at = valueOfKey(json, 0, "kind")
  return at < 0 ? "" : json.toString("latin1", at + 1, endOfValue(json, at) - 1)
}

/** Index of the first item of a list or row of a table; the end for other JSON. */
function firstElement(json: Buffer, isTable: boolean): number {
  if (!isTable && !kindOf(json).endsWith("List")) return json.length
  const at = valueOfKey(json, 0, isTable ? "rows" : "items")
  return at >= 0 && json[at] === openBracket ? at + 1 : json.length
}

/** Adds the part of an object's metadata to leave out, with the comma on one side of it. */
function addSpan(json: Buffer, object: number, spans: Span[]): void {
  const metadata = valueOfKey(json, object, "metadata")
  const value = metadata < 0 ? -1 : valueOfKey(json, metadata, key)
  if (value < 0) return
  const start = value - key.length - '"":'.length
  const end = endOfValue(json, value)
  if (json[end] === comma) spans.push({ start, end: end + 1 })
  else spans.push({ start: json[start - 1] === comma ? start - 1 : start, end })
}

function without(json: Buffer, spans: readonly Span[]): Buffer {
  const kept: Buffer[] = []
  let from = 0
  for (const { start, end } of spans) {
    kept.push(json.subarray(from, start))
    from = end
  }
  kept.push(json.subarray(from))
  return Buffer.concat(kept)
}
