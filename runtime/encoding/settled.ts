/**
 * Settled values: values of a field that the schema calls `selfContained`, as the spec of a pod, once they have been
 * checked or written. No code changes a settled value; code that needs another one copies it first. So the objects of
 * one template and the versions of one object share it, and each of its forms is made once. Its forms go with it.
 */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { ownBytes } from "../base/own-bytes.ts"
import { deepClone } from "./field-path.ts"
import { stringify } from "./json/text.ts"
import type { TypeShape } from "../schema/shape.ts"

/** Forms of a settled value that were made so far. */
interface Forms {
  json: SettledJson | undefined
  message: Buffer | undefined
  ownership: string | undefined
}

export interface SettledJson {
  readonly bytes: Buffer
  /** Characters of the text, at most as many as its bytes. */
  readonly characters: number
}

const settled = new WeakMap<JsonObject, Forms>()

/** Called with each value that is settled. Tests freeze it, so that a change throws (test/support/freeze-recent.ts). */
export const settledGuard: { settled: (value: JsonObject) => void } = { settled: () => {} }

/** The name of the field of a kind whose values are settled. Undefined: the kind has none. */
export function settledField({ fields }: TypeShape): string | undefined {
  return fields.find(({ selfContained }) => selfContained === true)?.name
}

/**
 * Settles the value of a field. Called when nothing will change the value any more. Returns false, and leaves the value
 * as it is, where parsing its JSON would give another value.
 */
export function settle(value: JsonObject): boolean {
  if (settled.has(value)) return true
  if (!isAsParsed(value)) return false
  settledGuard.settled(value)
  settled.set(value, { json: undefined, message: undefined, ownership: undefined })
  return true
}

export function isSettled(value: JsonObject): boolean {
  return settled.has(value)
}

/** A copy of a value that may be changed in place; a settled value is returned itself, since no code changes it. */
export function ownValue(value: JsonValue): JsonValue {
  return isObject(value) && settled.has(value) ? value : deepClone(value)
}

/** The JSON of a settled value. Undefined: the value is not settled. */
export function settledJson(value: JsonObject): SettledJson | undefined {
  const forms = settled.get(value)
  if (forms === undefined) return undefined
  if (forms.json === undefined) {
    const text = stringify(value)
    forms.json = { bytes: ownBytes(Buffer.from(text)), characters: text.length }
  }
  return forms.json
}

/** The protobuf message of a settled value. Undefined: it was not kept, or the value is not settled. */
export function settledMessage(value: JsonObject): Buffer | undefined {
  return settled.get(value)?.message
}

/** Called with the encoded message of a settled value. */
export function keepSettledMessage(value: JsonObject, message: Buffer): void {
  const forms = settled.get(value)
  if (forms !== undefined) forms.message = ownBytes(message)
}

/** The text of the fields that the creator of an object owns in its settled value. Undefined: it was not kept. */
export function settledOwnership(value: JsonObject): string | undefined {
  return settled.get(value)?.ownership
}

/** Called with the text that `settledOwnership` returns. */
export function keepSettledOwnership(value: JsonObject, text: string): void {
  const forms = settled.get(value)
  if (forms !== undefined) forms.ownership = text
}

/** Whether no field of a value is present and undefined: parsed JSON and settled values never have such a field. */
export function isAsParsed(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && !isAsParsed(item)) return false
    return true
  }
  for (const name in value) {
    const field = value[name]
    if (field === undefined || (typeof field === "object" && !isAsParsed(field))) return false
  }
  return true
}
