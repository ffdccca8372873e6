/** Plain (unquoted) YAML scalars, read as the ecosystem reads them. */
import { badRequest } from "../base/errors.ts"
import { exactDigitsMax } from "../encoding/json/text.ts"
import type { JsonValue } from "../base/json.ts"

const trueWord = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/
const falseWord = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/
const nullWord = /^(?:|~|null|Null|NULL)$/
export const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const floatText = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const wholeSyntax = /^([-+]?)(?:0[xX]([0-9a-fA-F_]+)|0[bB]([01_]+)|0[oO]?([0-7_]+)|([0-9][0-9_]*))$/

/** Resolves a plain scalar on a line. Throws ApiError 400 for numbers that JSON does not have. */
export function resolvePlain(text: string, line: number): JsonValue {
  if (nullWord.test(text)) return null
  // Most plain scalars begin with a letter that begins none of the words.
  if (/^[^-+.0-9yYnNtTfFoO]/.test(text)) return text
  if (trueWord.test(text)) return true
  if (falseWord.test(text)) return false
  const whole = wholeNumber(text)
  if (whole !== undefined) return whole
  if (notFinite.test(text)) throw badRequest(`yaml: line ${line}: ${text} has no JSON form`)
  if (!floatText.test(text)) return text
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

/** Decimal, `0x`, `0o`, `0b` and `012`, with underscores between digits; a `bigint` beyond 2^53. */
function wholeNumber(text: string): number | bigint | undefined {
  const match = wholeSyntax.exec(text)
  if (match === null) return undefined
  const [, sign, hexadecimal, binary, octal, decimal] = match
  const digits = (hexadecimal ?? binary ?? octal ?? decimal ?? "").replaceAll("_", "")
  // `089` is not a number, as in the reference.
  if (digits === "" || (decimal !== undefined && decimal.length > 1 && decimal.startsWith("0"))) return undefined
  const prefix = hexadecimal !== undefined ? "0x" : binary !== undefined ? "0b" : octal !== undefined ? "0o" : ""
  // Beyond the integers of any type, as in JSON; building a bigint from many digits takes more than linear time.
  if (digits.length > exactDigitsMax) return long(Number(prefix + digits), sign)
  const amount = BigInt(prefix + digits)
  const exact = sign === "-" ? -amount : amount
  const narrow = Number(exact)
  return Number.isSafeInteger(narrow) ? narrow : exact
}

/** Undefined for a number that JSON does not have: the scalar is a string. */
function long(amount: number, sign: string | undefined): number | undefined {
  if (!Number.isFinite(amount)) return undefined
  return sign === "-" ? -amount : amount
}

/** Whether a string without quotes would be read as another value. */
export function hasMeaning(text: string): boolean {
  if (notFinite.test(text)) return true
  return typeof resolvePlain(text, 0) !== "string" || (text.length > exactDigitsMax && wholeSyntax.test(text))
}
