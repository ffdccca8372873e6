/** Decides which JSON the built-in parser may read. */
import { isObject, type JsonValue } from "../../base/json.ts"

/** `JSON.parse` may round a number of this many digits. */
const longDigits = 16
/** Numbers that `JSON.parse` turns into Infinity. Does not match digits and an e within a quoted identifier. */
const largeExponent = /(?:^|[:,[\s])-?[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{3}/

/**
 * True when `JSON.parse` reads a JSON text as `JsonParser` does; false proves nothing. Called with every text that is
 * not checked for repeated fields.
 */
export function isSafeForJsonParse(text: string, maxDepth: number): boolean {
  return !largeExponent.test(text) && isSafeWithoutExponents(text, maxDepth)
}

/** As `isSafeForJsonParse`, for a text without large exponents. */
function isSafeWithoutExponents(text: string, maxDepth: number): boolean {
  if (hasLongNumber(text) || text.includes("\\ud") || text.includes("\\uD")) return false
  if (text.length <= maxDepth || countBracket(text, "{", maxDepth) + countBracket(text, "[", maxDepth) <= maxDepth) return true
  return nestingDepth(text) <= maxDepth
}

/**
 * A text of this length has neither too many values nor too many fields per object, and parses in less than a
 * millisecond.
 */
const plainCharactersMax = 32 * 1024
/**
 * Space between a name and its colon, which `countNames` would miss, or a number with a fraction or an exponent: a
 * value of a field or an item of a list. Does not match most strings, such as versions of images and addresses.
 */
const notPlain = /"\s+:|(?:^|":|[,[])\s*-?[0-9]+[.eE]/

type Bounds = { readonly maxDepth: number; readonly maxValues: number }

/**
 * Parses with the built-in parser; the last of repeated fields counts. Undefined: `JsonParser` must read the text or
 * report its errors.
 */
export function parseUntracked(text: string, { maxDepth, maxValues }: Bounds): JsonValue | undefined {
  // Every value takes at least two characters.
  if (text.length > 2 * maxValues || !isSafeForJsonParse(text, maxDepth)) return undefined
  return parsed(text)
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Like `parseUntracked`, for a text without repeated fields in which every number is an integer: most bodies. Several
 * times faster than `JsonParser`.
 */
export function parsePlain(text: string, { maxDepth, maxValues }: Bounds): JsonValue | undefined {
  if (text.length > plainCharactersMax || text.length > 2 * maxValues || notPlain.test(text)) return undefined
  const value = isSafeWithoutExponents(text, maxDepth) ? parsed(text) : undefined
  return value !== undefined && countFields(value) === countNames(text) ? value : undefined
}

/**
 * Counts the field names of a plain text, repeated ones included. A string that begins with a colon can make the count
 * too large, never too small. So if the objects have as many fields, no name is repeated.
 */
function countNames(text: string): number {
  let count = 0
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) {
    // A quote within a string, as in the elements of a field set, ends no name.
    if (text.charCodeAt(at - 1) !== 0x5c || !isEscaped(text, at)) count++
  }
  return count
}

/** Whether an odd number of backslashes precedes a character. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === 0x5c) first--
  return (at - first) % 2 === 1
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

/** The nesting depth of containers. For a text that is not JSON the number is arbitrary; the parser detects that. */
function nestingDepth(text: string): number {
  let [depth, deepest] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = closingQuote(text, at)
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x7d || code === 0x5d) depth--
  }
  return deepest
}

/** Finds the closing quote of the string that begins at `start`, or the end of the text. */
function closingQuote(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length
    if (!isEscaped(text, at)) return at
  }
}

/** Looks at every sixteenth character: a run of that many digits cannot lie between two of them. */
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

/** Counts occurrences of `bracket`, up to `enough` + 1. */
function countBracket(text: string, bracket: string, enough: number): number {
  let count = 0
  for (let at = text.indexOf(bracket); at >= 0 && count <= enough; at = text.indexOf(bracket, at + 1)) count++
  return count
}
