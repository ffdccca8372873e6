/**
 * The texts of settled values in the bodies of requests and in stored objects. A known text need not be read again: the
 * spec of a pod in the second body that has it, in a body that replaces a pod, or in a stored pod whose neighbour has
 * the same one. Created once for each kind that has such a field, in each server.
 */
import { isObject, type JsonObject } from "../base/json.ts"
import { ownBytes } from "../base/own-bytes.ts"
import { endOfObject } from "./json/end-of-object.ts"
import { isPlaceholder, type Place, startsWith, withPlaceholders } from "./json/placeholders.ts"
import { isSettled, settle, settledJson } from "./settled.ts"
import { beginningOf, type FoundValue, type KnownText, textBytesMin, WrittenTexts } from "./written-texts.ts"

/** A longer body is read whole, in turns; it is neither searched for known texts nor kept. */
export const knownBodyBytesMax = 64 * 1024
/** Bytes of all texts that are kept. The decoded value and its other forms take several times as much. */
const keptBytesMax = 512 * 1024
/** Beginnings of texts that were seen, each with the text, or without it when it was seen once. */
const seenMax = 256

export class SettledTexts {
  /** The name of the field, as a set for passes that skip it. */
  readonly names: ReadonlySet<string>
  private readonly opening: string
  private readonly seen = new Map<string, KnownText | undefined>()
  private kept = 0
  private readonly written = new WrittenTexts()
  private readonly passed = new WeakSet<JsonObject>()

  constructor(readonly field: string) {
    this.names = new Set([field])
    this.opening = `${JSON.stringify(field)}:`
  }

  /**
   * Looks for a known value in a body. `stored`: the object that the body replaces. The caller makes sure that the
   * place is the field's: any other field of the name looks the same.
   */
  find(body: Buffer, stored?: JsonObject): FoundValue | undefined {
    const from = this.placeOf(body)
    if (from < 0) return undefined
    const before = stored?.[this.field]
    const json = isObject(before) ? settledJson(before) : undefined
    if (isObject(before) && json !== undefined && startsWith(body, from, json.bytes))
      return { value: before, from, to: from + json.bytes.length }
    const beginning = restOf(body, from)
    const text = this.seen.get(beginning)
    if (text === undefined || !startsWith(body, from, text.bytes)) return this.written.find(body, from)
    this.seen.delete(beginning)
    this.seen.set(beginning, text)
    return { value: text.value, from, to: from + text.bytes.length }
  }

  /** Looks for a value that was written before in the JSON of a stored object. The caller checks as for `find`. */
  findStored(json: Buffer): FoundValue | undefined {
    const from = this.placeOf(json)
    return from < 0 ? undefined : this.written.find(json, from)
  }

  /** Called with an object that is going to be written: gives it the value that equals its own, where one is known. */
  share(object: JsonObject): void {
    const value = object[this.field]
    if (isObject(value) && settle(value)) object[this.field] = this.written.share(value)
  }

  /**
   * Called with each body that was read whole, without a fault, and its object with defaults. The second body with the
   * beginning of an earlier one settles its value.
   */
  learn(body: Buffer, object: JsonObject): void {
    const from = this.placeOf(body)
    const value = object[this.field]
    if (from < 0 || !isObject(value)) return
    const beginning = restOf(body, from)
    // One character for each byte.
    const to = this.seen.has(beginning) ? endOfObject(body.toString("latin1"), from) : -1
    if (to < 0) this.keep(beginning, undefined)
    else if (to - from >= textBytesMin && isField(body, { from, to }, this.field) && settle(value))
      this.keep(beginning, { bytes: ownBytes(Buffer.from(body.subarray(from, to))), value })
  }

  /** Called with a new object that has passed its checks. */
  keepPassed(object: JsonObject): void {
    const value = object[this.field]
    if (isObject(value) && isSettled(value)) this.passed.add(value)
  }

  /** Whether the value of a field has passed the checks of new objects. */
  hasPassed(object: JsonObject, field: string): boolean {
    const value = object[field]
    return field === this.field && isObject(value) && this.passed.has(value)
  }

  /** Where the text of the value begins if it is the field's. Negative: there is none, or the body is long. */
  private placeOf(body: Buffer): number {
    if (body.length > knownBodyBytesMax) return -1
    const at = body.indexOf(this.opening)
    return at < 0 ? -1 : at + this.opening.length
  }

  private keep(beginning: string, text: KnownText | undefined): void {
    this.forget(beginning)
    this.seen.set(beginning, text)
    this.kept += text?.bytes.length ?? 0
    for (const oldest of this.seen.keys()) {
      if (this.seen.size <= seenMax && this.kept <= keptBytesMax) return
      this.forget(oldest)
    }
  }

  private forget(beginning: string): void {
    this.kept -= this.seen.get(beginning)?.bytes.length ?? 0
    this.seen.delete(beginning)
  }
}

/** Bodies of one template differ before the value: the rest has the same length. */
function restOf(body: Buffer, from: number): string {
  return `${body.length - from}:${beginningOf(body, from)}`
}

/** Whether the text of a document, which is JSON, has its field `name` at that place. */
function isField(body: Buffer, place: Place, name: string): boolean {
  const value: unknown = JSON.parse(withPlaceholders(body, [place]))
  return isObject(value) && isPlaceholder(value[name])
}
