/** `enum`: values that the reference considers equal to a listed one. */
import type { JsonValue } from "../../base/json.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { shownValueCharactersMax } from "../../base/limits.ts"
import { shortJson } from "../../base/bounded-text.ts"
import { isInt64 } from "./numbers.ts"

/** Longer enumerations are searched by a set: an object may have as many values as the enumeration. */
const fewValues = 16

const textSets = new WeakMap<readonly JsonValue[], ReadonlySet<JsonValue>>()

function textsIn(listed: readonly JsonValue[]): ReadonlySet<JsonValue> {
  const known = textSets.get(listed)
  if (known !== undefined) return known
  const texts = new Set(listed.filter((one) => typeof one === "string"))
  textSets.set(listed, texts)
  return texts
}

/** Whether an enumeration lists the value. Null is never listed. */
export function isListed(value: JsonValue, listed: readonly JsonValue[]): boolean {
  if (typeof value === "string" && listed.length > fewValues) return textsIn(listed).has(value)
  for (const one of listed) if (isSame(value, one)) return true
  return false
}

function isSame(value: JsonValue, listed: JsonValue): boolean {
  if (value === null || listed === null) return false
  if (typeof value !== "number" && typeof value !== "bigint") return deepEqual(value, listed)
  // Like the reference, converts the number to the type of the listed value: truncates fractions, and makes an integer
  // the character with that code.
  if (typeof listed === "string") return isInt64(value) && listed === characterOf(value)
  if (typeof listed !== "number" && typeof listed !== "bigint") return false
  if (isInt64(listed) && !isInt64(value)) return BigInt(Math.trunc(Number(value))) === BigInt(listed)
  return deepEqual(value, listed)
}

function characterOf(value: number | bigint): string {
  const code = Number(value)
  return code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd"
}

/** The listed values in failures: strings as they are, others as JSON. */
export function listedTexts(listed: readonly JsonValue[]): readonly string[] {
  const known = shownTexts.get(listed)
  if (known !== undefined) return known
  const texts = listed.map((one) => (typeof one === "string" ? one : shortJson(one, shownValueCharactersMax)))
  shownTexts.set(listed, texts)
  return texts
}

/** All failures of an enumeration share its texts. */
const shownTexts = new WeakMap<readonly JsonValue[], readonly string[]>()
