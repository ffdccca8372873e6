/** Which JSON may be left to the built-in parser. */
import { isObject, type JsonValue } from "./json.ts"

/** Digits of a number that `JSON.parse` may round. */
const longDigits = 16
/** Numbers that `JSON.parse` turns into Infinity: not what an identifier in quotes has of digits and an e. */
const largeExponent = /(?:^|[:,[\s])-?[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{3}/

/** True when `JSON.parse` reads a text of JSON as `JsonParser` does; false proves nothing. Called with every text that is not looked at for repeated fields. */
export function builtInWillDo(text: string, maxDepth: number): boolean {
  if (hasLongNumber(text) || largeExponent.test(text) || text.includes("\\ud") || text.includes("\\uD")) return false
  if (text.length <= maxDepth || opens(text, "{", maxDepth) + opens(text, "[", maxDepth) <= maxDepth) return true
  return nests(text) <= maxDepth
}

/** A text of so many characters has neither more values than a document may have nor more fields than an object, and takes less than a millisecond. */
const plainCharactersMax = 32 * 1024
/** Space between a name and its colon, which `countNames` passes over; numbers with a fraction or an exponent. */
const notPlain = /"\s+:|[0-9][.eE][-+0-9]/

type Bounds = { readonly maxDepth: number; readonly maxValues: number }

/** What the built-in parser makes of a text; of fields that are repeated the last counts. Undefined: the text, or its faults, are for `JsonParser`. */
export function parseUntracked(text: string, { maxDepth, maxValues }: Bounds): JsonValue | undefined {
  // Every value takes two characters at least.
  if (text.length > 2 * maxValues || !builtInWillDo(text, maxDepth)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As `parseUntracked`, of a text in which nothing is repeated and every number is whole: most bodies. Several times faster than `JsonParser`. */
export function parsePlain(text: string, bounds: Bounds): JsonValue | undefined {
  if (text.length > plainCharactersMax || notPlain.test(text)) return undefined
  const value = parseUntracked(text, bounds)
  return value !== undefined && countFields(value) === countNames(text) ? value : undefined
}

/**
 * How many names the objects of a plain text have, repeated ones included. It is more where a string begins with a colon or holds a quote, and never
 * less: objects with as many fields as that have each of their names once.
 */
function countNames(text: string): number {
  let count = 0
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) count++
  return count
}

function countFields(value: JsonValue): number {
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += typeof item === "object" ? countFields(item) : 0
  else if (isObject(value))
    for (const name in value) {
      const field = value[name]
      count += 1 + (typeof field === "object" ? countFields(field) : 0)
    }
  return count
}

/** How deeply containers are nested. Of text that is no JSON any number: the parser finds that out. */
function nests(text: string): number {
  let [depth, deepest] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = closingQuote(text, at)
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x7d || code === 0x5d) depth--
  }
  return deepest
}

/** Of the string that begins at `start`; the end of the text where there is none. */
function closingQuote(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length
    let escapes = at
    while (text.charCodeAt(escapes - 1) === 0x5c) escapes--
    if ((at - escapes) % 2 === 0) return at
  }
}

/** Looks at one character in sixteen: so many digits in a row cannot hide between two of them. */
function hasLongNumber(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text.charCodeAt(at))) continue
    let first = at
    while (first > 0 && isDigit(text.charCodeAt(first - 1))) first--
    let last = at
    while (isDigit(text.charCodeAt(last + 1))) last++
    if (last - first + 1 >= longDigits) return true
    at = last
  }
  return false
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** How often `bracket` occurs, counted up to `enough` and one more. */
function opens(text: string, bracket: string, enough: number): number {
  let count = 0
  for (let at = text.indexOf(bracket); at >= 0 && count <= enough; at = text.indexOf(bracket, at + 1)) count++
  return count
}
