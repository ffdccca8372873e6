/** The clauses of a format string, which write an argument as text: `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o`. */
import { quoted } from "../../runtime/base/quote.ts"
import { compareTexts } from "../values/compare.ts"
import { doubleText } from "../values/double-text.ts"
import { isError } from "../values/error.ts"
import { print } from "../values/print.ts"
import { Duration, Timestamp } from "../values/time.ts"
import { typeOf } from "../values/type-of.ts"
import { Double, ListValue, MapValue, OpaqueValue, OptionalValue, type Result, TypeValue, Uint, type Value } from "../values/value.ts"
import { stringOf } from "../standard/conversion.ts"
import { fixedDigits, scientificDigits } from "./decimal-text.ts"
import { chargeWork } from "../work.ts"

/** The argument does not fit its clause. */
export class FormatFault extends Error {
  override readonly name = "FormatFault"
}

/** The text of an argument. Throws FormatFault. */
export type Clause = (arg: Value) => string

const precisionDefault = 6
/** More digits than the reference writes in full. */
const digitsMax = 255

/** The clause of a letter; undefined when there is none. */
export function clauseOf(letter: string, precision = precisionDefault): Clause | undefined {
  switch (letter) {
    case "s":
      return stringClause
    case "d":
      return decimalClause
    case "f":
      return (arg) => fixedText(doubleOf(arg, "fixed-point"), Math.min(precision, digitsMax))
    case "e":
      // As in the reference, the precision is used as a width, and there are always six digits.
      return (arg) => scientificText(doubleOf(arg, "scientific")).padStart(precision)
    case "b":
      return binaryClause
    case "x":
      return hexClause
    case "X":
      return (arg) => hexClause(arg).toUpperCase()
    case "o":
      return octalClause
    default:
      return undefined
  }
}

function wrongType(allowed: string, arg: Value): FormatFault {
  return new FormatFault(`${allowed}, was given ${typeOf(arg).name}`)
}

function integerOf(value: Value): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value
  return value instanceof Uint ? value.value : undefined
}

function decimalClause(arg: Value): string {
  const integer = integerOf(arg)
  if (integer === undefined) throw wrongType("decimal clause can only be used on integers", arg)
  return String(integer)
}

function binaryClause(arg: Value): string {
  if (typeof arg === "boolean") return arg ? "1" : "0"
  const integer = integerOf(arg)
  if (integer === undefined) throw wrongType("only integers and bools can be formatted as binary", arg)
  return integer.toString(2)
}

function octalClause(arg: Value): string {
  const integer = integerOf(arg)
  if (integer === undefined) throw wrongType("octal clause can only be used on integers", arg)
  return integer.toString(8)
}

function hexClause(arg: Value): string {
  if (typeof arg === "string") return Buffer.from(arg).toString("hex")
  if (arg instanceof Uint8Array) return Buffer.from(arg).toString("hex")
  const integer = integerOf(arg)
  if (integer === undefined) {
    throw wrongType("only integers, byte buffers, and strings can be formatted as hex", arg)
  }
  return integer.toString(16)
}

const specialDoubles: ReadonlyMap<Value, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
])

function doubleOf(arg: Value, clause: string): number {
  if (arg instanceof Double) return arg.value
  const special = specialDoubles.get(arg)
  if (special === undefined) throw wrongType(`${clause} clause can only be used on doubles`, arg)
  return special
}

/** In the form of American English: `1,234.50`. */
function fixedText(value: number, precision: number): string {
  if (!Number.isFinite(value)) return unusualText(value)
  const { whole, fraction } = fixedDigits(value, precision)
  const grouped = BigInt(whole).toLocaleString("en-US")
  return `${signOf(value)}${grouped}${fraction === "" ? "" : `.${fraction}`}`
}

/** `1.052033 × 10⁰³`, with narrow blanks. */
function scientificText(value: number): string {
  if (!Number.isFinite(value)) return unusualText(value)
  const { whole, fraction, exponent } = scientificDigits(value, precisionDefault)
  return `${signOf(value)}${whole}.${fraction}\u202f×\u202f10${superscript(exponent)}`
}

function unusualText(value: number): string {
  return Number.isNaN(value) ? "NaN" : `${signOf(value)}∞`
}

function signOf(value: number): string {
  return value < 0 ? "-" : ""
}

function superscript(exponent: number): string {
  const digits = String(Math.abs(exponent)).padStart(2, "0")
  return (exponent < 0 ? "⁻" : "") + digits.replace(/[0-9]/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹".charAt(Number(digit)))
}

const stringTypes = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"

function stringClause(arg: Value): string {
  if (arg instanceof ListValue) return listText(arg)
  if (arg instanceof MapValue) return mapText(arg)
  const text = scalarText(arg)
  if (text === undefined) throw wrongType(`string clause can only be used on ${stringTypes}`, arg)
  return text
}

/** The result of `string(value)`; undefined for values without a text. */
function scalarText(value: Value): string | undefined {
  if (value instanceof TypeValue) return value.type.name
  if (value instanceof OptionalValue || value instanceof OpaqueValue) return undefined
  const text = stringOf(value)
  if (isError(text)) throw new FormatFault(`could not convert argument "${text.message}" to string`)
  return print(text)
}

/** Units of work for a member, and characters quoted in the time of one unit. */
const memberWork = 4
const charactersPerUnit = 2

/** An element or a value within a list or a map, as a literal of the language. */
function memberText(value: Result): string {
  chargeWork(typeof value === "string" ? memberWork + value.length / charactersPerUnit : memberWork)
  if (isError(value)) throw new FormatFault(value.message)
  if (value instanceof ListValue) return listText(value)
  if (value instanceof MapValue) return mapText(value)
  if (value instanceof Double) return doubleLiteral(value.value)
  const text = scalarText(value)
  if (text === undefined) throw new FormatFault(`no formatting function for ${typeOf(value).name}`)
  if (typeof value === "string") return quoted(text)
  if (value instanceof Uint8Array) return `b${quoted(text)}`
  if (value instanceof Timestamp) return `timestamp(${quoted(text)})`
  if (value instanceof Duration) return `duration(${quoted(text)})`
  return text
}

function doubleLiteral(value: number): string {
  if (!Number.isFinite(value)) return `"${doubleText(value)}"`
  const { whole, fraction } = fixedDigits(value, precisionDefault)
  return `${value < 0 || Object.is(value, -0) ? "-" : ""}${whole}.${fraction}`
}

function listText(list: ListValue): string {
  return `[${list.toArray().map(memberText).join(", ")}]`
}

/** Sorted by the texts of the keys. */
function mapText(map: MapValue): string {
  const entries: [string, string][] = []
  for (const key of map.keys()) {
    const keyed = keyText(key)
    entries.push([keyed, memberText(map.find(key) ?? null)])
  }
  entries.sort(([one], [other]) => compareTexts(one, other))
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(", ")}}`
}

function keyText(key: Value): string {
  if (typeof key === "string") return quoted(key)
  if (typeof key === "boolean" || integerOf(key) !== undefined) return memberText(key)
  throw new FormatFault(`no formatting function for map key of type ${typeOf(key).name}`)
}
