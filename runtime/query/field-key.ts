/**
 * Encodes field values as bytes that compare like the values. Lists are sorted and selected by comparing these bytes,
 * and they can be cached with an object version. Values of different types, which only an untyped field can hold, sort
 * by their tags.
 *
 *     absent   no bytes
 *     boolean  10 | 11
 *     number   20 negative | 21 zero | 22 positive, then the power of ten of the
 *              leading digit and the digits; all inverted when negative
 *     text     30, then UTF-8
 *     other    40: objects and lists of an untyped field, all alike
 *
 * Integers of any size, fractions and quantities are all numbers and compare exactly: `1500m` is `1.5`.
 */
import { DurationError, parseDuration } from "../base/duration.ts"
import type { JsonValue } from "../base/json.ts"
import { parseQuantity, QuantityError } from "../base/quantity.ts"
import type { Scalar } from "../schema/shape.ts"
import { trimmed } from "../base/trim.ts"
import { formatMicroTime, formatTime, parseInstant, TimeError } from "../base/time.ts"

/** The key of an absent value. */
export const absentKey: Buffer = Buffer.alloc(0)

const falseKey = tagged(0x10)
const trueKey = tagged(0x11)
const zeroKey = tagged(0x21)
const otherKey = tagged(0x40)
const textTag = 0x30

/**
 * Returns the key of a decoded value. Called once per object version and field. A stored text that does not parse as
 * its type counts as a string.
 */
export function fieldKey(value: JsonValue | undefined, scalar: Scalar): Buffer {
  switch (typeof value) {
    case "undefined":
      return absentKey
    case "boolean":
      return value ? trueKey : falseKey
    case "number":
    case "bigint":
      return numberKey(String(value)) ?? otherKey
    case "string":
      return measuredKey(value, scalar) ?? textKey(value)
    default:
      return value === null ? absentKey : otherKey
  }
}

/** The key of a text that represents an amount. */
function measuredKey(text: string, scalar: Scalar): Buffer | undefined {
  try {
    if (scalar === "Quantity") {
      const { mantissa, exponent } = parseQuantity(text)
      return numberKey(`${mantissa}e${exponent}`)
    }
    return scalar === "Duration" ? numberKey(String(parseDuration(text))) : undefined
  } catch (error) {
    if (error instanceof QuantityError || error instanceof DurationError) return undefined
    throw error
  }
}

/** A value in a selector, to compare a field with. */
export interface Literal {
  /** The field equals the literal when its key is one of these; several where the field is untyped. */
  readonly keys: readonly Buffer[]
  /** The key for `<` and `>`. */
  readonly order: Buffer
}

/**
 * Parses a literal as the type of its field. Undefined when it does not parse; `literalTypes` says what is expected.
 */
export function readLiteral(text: string, scalar: Scalar): Literal | undefined {
  const asText = textKey(text)
  switch (scalar) {
    case "string":
    case "bytes":
      return { keys: [asText], order: asText }
    case "boolean":
      return text === "true" ? only(trueKey) : text === "false" ? only(falseKey) : undefined
    case "int32":
    case "int64":
    case "double":
      return only(numberKey(text))
    case "Quantity":
    case "Duration":
      return only(measuredKey(text, scalar))
    case "Time":
    case "MicroTime":
      return only(timeKey(text, scalar))
    default: {
      const number = numberKey(text)
      const boolean = text === "true" ? trueKey : text === "false" ? falseKey : undefined
      return { keys: [asText, number, boolean].filter((key) => key !== undefined), order: number ?? boolean ?? asText }
    }
  }
}

/** Describes the literals of each type, for messages. */
export const literalTypes: Readonly<Partial<Record<Scalar, string>>> = {
  boolean: "true or false",
  int32: "a number",
  int64: "a number",
  double: "a number",
  Quantity: 'a quantity such as "500m"',
  Duration: 'a duration such as "1h30m"',
  Time: 'a time such as "2006-01-02T15:04:05Z"',
  MicroTime: 'a time such as "2006-01-02T15:04:05.000000Z"',
}

function only(key: Buffer | undefined): Literal | undefined {
  return key === undefined ? undefined : { keys: [key], order: key }
}

function timeKey(text: string, scalar: "Time" | "MicroTime"): Buffer | undefined {
  try {
    const instant = parseInstant(text)
    return textKey(scalar === "Time" ? formatTime(instant) : formatMicroTime(instant))
  } catch (error) {
    if (error instanceof TimeError) return undefined
    throw error
  }
}

/** Keys are kept, so each has a buffer of its own: a slice of node's shared pool would retain the whole pool. */
function tagged(tag: number, length = 0): Buffer {
  const key = Buffer.allocUnsafeSlow(1 + length)
  key[0] = tag
  return key
}

function textKey(text: string): Buffer {
  const key = tagged(textTag, Buffer.byteLength(text))
  key.write(text, 1)
  return key
}

const numberSyntax = /^([+-]?)([0-9]{1,1100})(?:\.([0-9]{0,1100}))?(?:[eE]([+-]?[0-9]{1,5}))?$/
const exponentBias = 0x2_0000

/** The key of a decimal number in any notation; undefined when the text is not a number. */
function numberKey(text: string): Buffer | undefined {
  const match = numberSyntax.exec(text)
  if (match === null) return undefined
  const [, sign = "", whole = "", fraction = "", power = "0"] = match
  const all = whole + fraction
  const digits = trimmed(all, "0")
  if (digits === "") return zeroKey
  const leading = /[1-9]/.exec(all)?.index ?? 0
  const negative = sign === "-"
  // Of two negative numbers the longer one is smaller, hence the byte after its inverted digits.
  const key = tagged(negative ? 0x20 : 0x22, 3 + digits.length + (negative ? 1 : 0))
  key.writeUIntBE(Number(power) + whole.length - leading + exponentBias, 1, 3)
  key.write(digits, 4, "latin1")
  if (!negative) return key
  key[key.length - 1] = 0
  for (let index = 1; index < key.length; index++) key[index] = 0xff - (key[index] ?? 0)
  return key
}
