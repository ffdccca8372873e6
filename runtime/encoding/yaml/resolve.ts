/** The values of scalars, as the YAML reader of the reference gives them: the words of YAML 1.1, and JSON's types. */
import type { JsonValue } from "../../base/json.ts"
import { type ScalarNode, tagPrefix } from "./parser.ts"
import { YamlSyntaxError } from "./syntax-error.ts"

const trueWord = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/
const falseWord = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/
const nullWord = /^(?:|~|null|Null|NULL)$/
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const floatText = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const wholeText = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|(0[bB][-+]?[01]+)|0[oO]?([0-7]*)|([1-9][0-9]*))$/
/** Years have four digits, everything else one or two; a time has a zone behind a `T`, and none behind a blank. */
const timestampText =
  /^\d{4}-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+]\d\d:\d\d)| +(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/

/** A float that JSON does not have: infinite, or not a number. */
export class NotFinite {
  constructor(readonly text: string) {}
}

/** Types of a scalar, in the words of its tags. */
type ScalarType = "bool" | "float" | "int" | "null" | "str" | "timestamp"

interface Resolved {
  readonly type: ScalarType
  readonly value: JsonValue | NotFinite
}

/**
 * The value of a scalar. A tag of a basic type refuses texts of another one; other tags have no meaning, and the value
 * is the text. Whole numbers beyond 2^53 are a `bigint` if 64 bits hold them, others are floats. Throws
 * YamlSyntaxError for a text that its tag refuses.
 */
export function resolveScalar(node: ScalarNode): JsonValue | NotFinite {
  const { tag, text } = node
  if (tag === "") return node.isImplicit ? resolvePlain(text) : text
  const wanted = basicType(tag)
  if (wanted === undefined || wanted === "str") return text
  const { type, value } = resolveAs(wanted, text)
  if (type === wanted) return value
  if (wanted === "float" && type === "int") return Number(value)
  throw new YamlSyntaxError(`cannot decode !!${type} \`${text}\` as a !!${wanted}`, node.line + 1)
}

/** The value of a text without quotes and without a tag. */
export function resolvePlain(text: string): JsonValue | NotFinite {
  // Most plain scalars begin with a letter that begins none of the words.
  if (/^[^-+.0-9yYnNtTfFoO~]/.test(text)) return text
  return resolved(text).value
}

/**
 * The field name for a scalar that is the key of a mapping, and its form in messages. Undefined for a key that no JSON
 * object has: null, and whole numbers beyond 63 bits. Throws as `resolveScalar` does.
 */
export function keyName(node: ScalarNode): { name: string; shown: string } | undefined {
  const value = resolveScalar(node)
  if (typeof value === "string") return { name: value, shown: JSON.stringify(value) }
  const name = value instanceof NotFinite ? value.text.toLowerCase().replace("+", "") : keyText(node, value)
  return name === undefined ? undefined : { name, shown: name }
}

function keyText(node: ScalarNode, value: JsonValue): string | undefined {
  if (typeof value === "boolean") return String(value)
  if (typeof value === "bigint") return value > int64Max ? undefined : String(value)
  if (typeof value !== "number") return undefined
  const isFloat = node.tag === floatTag || numberOf(node.text)?.type === "float"
  return isFloat ? floatName(value) : String(value)
}

const floatTag = `${tagPrefix}float`

/** The shortest digits that make the same float of 32 bits, with an exponent below 1e-4 and from 1e6 on. */
function floatName(value: number): string {
  const narrow = Math.fround(value)
  if (!Number.isFinite(narrow)) return narrow > 0 ? ".inf" : "-.inf"
  let text = narrow.toExponential(8)
  for (let digits = 0; digits < 8; digits++) {
    const shorter = narrow.toExponential(digits)
    if (Math.fround(Number(shorter)) !== narrow) continue
    text = shorter
    break
  }
  const [digits = "", exponent = "0"] = text.split("e")
  const power = Number(exponent)
  if (power >= -4 && power < 6) return Object.is(narrow, -0) ? "-0" : String(Number(text))
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`
}

/** Whether a string without quotes would be read as another value. */
export function hasMeaning(text: string): boolean {
  return typeof resolvePlain(text) !== "string"
}

function basicType(tag: string): ScalarType | undefined {
  const word = tag.startsWith(tagPrefix) ? tag.slice(tagPrefix.length) : ""
  switch (word) {
    case "bool":
    case "float":
    case "int":
    case "null":
    case "str":
    case "timestamp":
      return word
    default:
      return undefined
  }
}

function resolveAs(wanted: ScalarType, text: string): Resolved {
  if (wanted === "timestamp" && isTimestamp(text)) return { type: "timestamp", value: text }
  return resolved(text)
}

function resolved(text: string): Resolved {
  if (nullWord.test(text)) return { type: "null", value: null }
  if (trueWord.test(text)) return { type: "bool", value: true }
  if (falseWord.test(text)) return { type: "bool", value: false }
  if (notFinite.test(text)) return { type: "float", value: new NotFinite(text) }
  return numberOf(text) ?? { type: "str", value: text }
}

/** Underscores may stand anywhere behind the first digit or sign, and between the digits of `.5`. */
function numberOf(text: string): Resolved | undefined {
  if (!/^[-+.0-9]/.test(text) || (text.startsWith(".") && /(?<![0-9])_|_(?![0-9])/.test(text))) return undefined
  const digits = text.replaceAll("_", "")
  const whole = wholeNumber(digits)
  if (whole !== undefined) return { type: "int", value: whole }
  const value = floatText.test(digits) ? Number(digits) : Number.NaN
  return Number.isFinite(value) ? { type: "float", value } : undefined
}

const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n
const uint64Max = 2n ** 64n - 1n

/** Decimal, `0x`, `0o`, `0b` and `012`, of 64 bits. Undefined for others; `089` is none. */
function wholeNumber(text: string): number | bigint | undefined {
  const match = wholeText.exec(text)
  if (match === null) return undefined
  const [, sign = "", hexadecimal, binary, octal, decimal] = match
  if (binary !== undefined) return binaryNumber(sign, binary)
  if (octal === "" && !/^[-+]?0$/.test(text)) return undefined
  const prefix = hexadecimal !== undefined ? "0x" : octal !== undefined ? "0o" : ""
  return withinBits(prefix, hexadecimal ?? octal ?? decimal ?? "", sign)
}

/** `0b`, which may have the sign behind the prefix. */
function binaryNumber(sign: string, text: string): number | bigint | undefined {
  const inner = /[-+]/.exec(text)?.[0] ?? ""
  if (sign !== "" && inner !== "") return undefined
  // Only the small letter has its own rule, in which the sign follows.
  if (inner !== "" && !text.startsWith("0b")) return undefined
  return withinBits("0b", text.slice(2).replace(/^[-+]/, ""), sign === "" ? inner : sign)
}

function withinBits(prefix: string, digits: string, sign: string): number | bigint | undefined {
  const significant = digits.replace(/^0+/, "")
  // Building a bigint from many digits takes more than linear time.
  if (significant.length > 64) return undefined
  const amount = BigInt(prefix + (significant === "" ? "0" : significant))
  const exact = sign === "-" ? -amount : amount
  if (exact < int64Min || exact > (sign === "" ? uint64Max : int64Max)) return undefined
  const narrow = Number(exact)
  return Number.isSafeInteger(narrow) ? narrow : exact
}

function isTimestamp(text: string): boolean {
  const match = timestampText.exec(text)
  if (match === null) return false
  const [, month, day, hour, minute, second, plainHour, plainMinute, plainSecond] = match
  const year = Number(text.slice(0, 4))
  const days = new Date(Date.UTC(2000, 0, 1))
  days.setUTCFullYear(year, Number(month), 0)
  const isDate = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days.getUTCDate()
  return isDate && Number(hour ?? plainHour ?? 0) < 24 && Number(minute ?? plainMinute ?? 0) < 60 && Number(second ?? plainSecond ?? 0) < 60
}
