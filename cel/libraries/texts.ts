/** The functions of the strings library over JavaScript's strings, with its errors. Offsets count code points. */
import { errorOf } from "../values/error.ts"
import type { Result } from "../values/value.ts"
import { codePointIndex, codePointsOf, countCodePoints, sliceCodePoints, unitOffset } from "./code-points.ts"
import { chargeSearch, chargeWork } from "../work.ts"

type Integer = number | bigint

/** Characters that are examined one by one, or copied, in the time of a unit of work. */
const charactersPerUnit = 10
/** Characters that a function changes one by one in the time of a unit. */
const changedPerUnit = 0.5

function outOfRange(index: Integer): Result {
  return errorOf(`index out of range: ${index}`)
}

export function charAt(text: string, index: Integer): Result {
  const size = countCodePoints(text)
  if (index < 0 || index > size) return outOfRange(index)
  return sliceCodePoints(text, Number(index), Math.min(Number(index) + 1, size))
}

export function indexOf(text: string, part: string, offset: Integer): Result {
  if (part === "") return offset
  if (offset < 0 || offset >= countCodePoints(text)) return outOfRange(offset)
  chargeSearch(text, part)
  const found = text.indexOf(part, unitOffset(text, Number(offset)))
  return found < 0 ? -1 : codePointIndex(text, found)
}

/** Without an offset, the search begins at the end. */
export function lastIndexOf(text: string, part: string, offset?: Integer): Result {
  const size = countCodePoints(text)
  if (part === "") return offset ?? size
  const last = offset ?? size - 1
  if (last < 0 || last >= size) return outOfRange(last)
  chargeSearch(text, part)
  const found = text.lastIndexOf(part, unitOffset(text, Number(last)))
  return found < 0 ? -1 : codePointIndex(text, found)
}

export function substring(text: string, start: Integer): Result {
  const size = countCodePoints(text)
  return start < 0 || start > size ? outOfRange(start) : sliceCodePoints(text, Number(start), size)
}

export function substringBetween(text: string, start: Integer, end: Integer): Result {
  if (start > end) return errorOf(`invalid substring range. start: ${start}, end: ${end}`)
  const size = countCodePoints(text)
  if (start < 0 || start > size) return outOfRange(start)
  if (end < 0 || end > size) return outOfRange(end)
  return sliceCodePoints(text, Number(start), Number(end))
}

/** Replaces the first `limit` occurrences, all when it is negative. An empty text is found around each code point. */
export function replace(text: string, old: string, replacement: string, limit: Integer): string {
  if (limit === 0 || old === replacement) return text
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit)
  const parts = old === "" ? ["", ...codePointsOf(text), ""] : separated(text, old)
  chargeWork((Math.min(parts.length - 1, most) * replacement.length) / charactersPerUnit)
  let result = parts[0] ?? ""
  for (let index = 1; index < parts.length; index++) result += (index <= most ? replacement : old) + (parts[index] ?? "")
  return result
}

/** All parts between occurrences of a text that is not empty. */
function separated(text: string, separator: string): string[] {
  chargeSearch(text, separator)
  let count = 0
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + separator.length)) count++
  chargeWork(2 * count)
  return text.split(separator)
}

/** At most `limit` parts, the last of which holds the rest; all parts when `limit` is negative. */
export function split(text: string, separator: string, limit: Integer): string[] {
  if (limit === 0) return []
  const parts = separator === "" ? codePointsOf(text) : separated(text, separator)
  if (limit < 0 || parts.length <= limit) return parts
  const kept = parts.slice(0, Number(limit) - 1)
  return [...kept, parts.slice(kept.length).join(separator)]
}

export function lowerAscii(text: string): string {
  chargeWork(text.length / changedPerUnit)
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

export function upperAscii(text: string): string {
  chargeWork(text.length / changedPerUnit)
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

/** White space as Unicode defines it. JavaScript's `trim` differs: it keeps U+0085 and removes U+FEFF. */
const blanks = new Set("\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000")

function isBlank(character: string): boolean {
  return blanks.has(character) || (character >= "\u2000" && character <= "\u200a")
}

export function trim(text: string): string {
  chargeWork(text.length / charactersPerUnit)
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charAt(start))) start++
  while (end > start && isBlank(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
const escaped = /[\x07-\r\\"]/g

/** The text as a literal of the language. Halves of surrogate pairs become U+FFFD. */
export function quote(text: string): string {
  chargeWork(text.length / changedPerUnit)
  return `"${text.toWellFormed().replace(escaped, (character) => escapes[character] ?? character)}"`
}
