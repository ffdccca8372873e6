/** JSON with a part that is known already: the rest is parsed with a placeholder for it. */
import { randomBytes } from "node:crypto"
import { decodeUtf8 } from "../../base/utf8.ts"

/** Where a value begins and ends in the bytes of a text. */
export interface Place {
  readonly from: number
  readonly to: number
}

/** Random for each process, so no client can have put it into a document. */
const placeholder = `value-${randomBytes(12).toString("hex")}`

/** The text of a document with placeholders for the values in these places, which do not overlap and are in order. */
export function withPlaceholders(body: Buffer, places: readonly Place[]): string {
  let text = ""
  let done = 0
  for (const { from, to } of places) {
    text += `${decodeUtf8(body.subarray(done, from))}"${placeholder}"`
    done = to
  }
  return text + decodeUtf8(body.subarray(done))
}

/** Whether a value of the parsed document is a placeholder. */
export function isPlaceholder(value: unknown): boolean {
  return value === placeholder
}

/** Whether these bytes are at that place of a text. */
export function startsWith(text: Buffer, from: number, bytes: Buffer): boolean {
  const to = from + bytes.length
  return to <= text.length && text.compare(bytes, 0, bytes.length, from, to) === 0
}
