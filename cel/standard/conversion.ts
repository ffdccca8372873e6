/** Functions named as types: `int(x)`, `string(x)`, `timestamp(x)`. */
import { parseDuration } from "../../runtime/base/duration.ts"
import { decimalOf, int64Of, uint64Of } from "../../runtime/base/number-text.ts"
import type { FunctionDeclaration, Impl, Overload } from "../declaration.ts"
import { boolType, bytesType, type CelType, doubleType, durationType, intType, stringType, timestampType, uintType } from "../types/type.ts"
import { doubleText, plainText } from "../values/double-text.ts"
import { errorOf } from "../values/error.ts"
import { intOf, intOfDouble, intOfUint, uintOf, uintOfDouble, uintOfInt } from "../values/number.ts"
import { Duration, Timestamp } from "../values/time.ts"
import { parseTimestamp, secondsMax, secondsMin, timestampText } from "../values/timestamp-text.ts"
import { typeOf } from "../values/type-of.ts"
import { Double, type ErrorValue, type Result, Uint, type Value } from "../values/value.ts"
import { isUtf8 } from "node:buffer"
import { chargeText } from "../work.ts"

function cannotConvert(value: Value, to: CelType): ErrorValue {
  return errorOf(`type conversion error from '${typeOf(value).name}' to '${to.name}'`)
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
])

function toBool(value: Value): Result {
  if (typeof value === "boolean") return value
  const truth = typeof value === "string" ? truths.get(value) : undefined
  return truth ?? cannotConvert(value, boolType)
}

function toBytes(value: Value): Result {
  if (value instanceof Uint8Array) return value
  return typeof value === "string" ? Buffer.from(value) : cannotConvert(value, bytesType)
}

const special = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i

function toDouble(value: Value): Result {
  if (value instanceof Double) return value
  if (typeof value === "number" || typeof value === "bigint") return new Double(Number(value))
  if (value instanceof Uint) return new Double(Number(value.value))
  if (typeof value !== "string") return cannotConvert(value, doubleType)
  const named = special.exec(value)
  if (named !== null) {
    if (named[2] === undefined) return named[1] === "" ? new Double(Number.NaN) : cannotConvert(value, doubleType)
    return new Double(named[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)
  }
  const parsed = decimalOf(value)
  return parsed === undefined ? cannotConvert(value, doubleType) : new Double(parsed)
}

export function toDuration(value: Value): Result {
  if (value instanceof Duration) return value
  if (typeof value !== "string") return cannotConvert(value, durationType)
  try {
    return new Duration(parseDuration(value))
  } catch {
    return cannotConvert(value, durationType)
  }
}

function toInt(value: Value): Result {
  if (typeof value === "number" || typeof value === "bigint") return value
  if (value instanceof Double) return intOfDouble(value.value)
  if (value instanceof Uint) return intOfUint(value)
  if (value instanceof Duration) return intOf(value.nanos)
  if (value instanceof Timestamp) return value.seconds
  const parsed = typeof value === "string" ? int64Of(value) : undefined
  return parsed ?? cannotConvert(value, intType)
}

function toUint(value: Value): Result {
  if (value instanceof Uint) return value
  if (value instanceof Double) return uintOfDouble(value.value)
  if (typeof value === "number" || typeof value === "bigint") return uintOfInt(value)
  const parsed = typeof value === "string" ? uint64Of(value) : undefined
  return parsed === undefined ? cannotConvert(value, uintType) : uintOf(parsed)
}

/** `string(x)` of any value; libraries write with it. */
export function stringOf(value: Value): Result {
  if (typeof value === "string") return value
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "bigint") return String(value)
  if (value instanceof Double) return doubleText(value.value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp) return timestampText(value)
  if (value instanceof Duration) return durationText(value)
  if (value === null) return "null"
  if (!(value instanceof Uint8Array)) return cannotConvert(value, stringType)
  if (!isUtf8(value)) return errorOf("invalid UTF-8 in bytes, cannot convert to string")
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()
}

/** `string(d)`: seconds, in floating point. */
export function durationText(duration: Duration): string {
  return `${plainText(durationSeconds(duration))}s`
}

/** In floating point; whole seconds and the rest are converted separately. */
function durationSeconds({ nanos }: Duration): number {
  return Number(nanos / 1_000_000_000n) + Number(nanos % 1_000_000_000n) / 1e9
}

const timestampOverflow = errorOf("timestamp overflow")

export function toTimestamp(value: Value): Result {
  if (value instanceof Timestamp) return value
  if (typeof value === "number" || typeof value === "bigint") {
    return value < secondsMin || value > secondsMax ? timestampOverflow : new Timestamp(Number(value), 0)
  }
  const parsed = typeof value === "string" ? parseTimestamp(value) : undefined
  if (parsed === "overflow") return timestampOverflow
  return parsed ?? cannotConvert(value, timestampType)
}

/** Types by their word in the names of overloads. */
const words: Readonly<Record<string, CelType>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  int64: intType,
  string: stringType,
  timestamp: timestampType,
  uint64: uintType,
}

function conversion(name: string, to: string, from: readonly string[], impl: Impl): FunctionDeclaration {
  const result = words[to] ?? stringType
  const counted: Impl = (value) => {
    if (typeof value === "string") chargeText(value)
    return impl(value)
  }
  const overloads = from.map((word): Overload => {
    return { id: `${word}_to_${to}`, args: [words[word] ?? stringType], result, impl: word === "string" ? counted : impl }
  })
  return { name, overloads }
}

export const conversions: readonly FunctionDeclaration[] = [
  conversion("bool", "bool", ["bool", "string"], toBool),
  conversion("bytes", "bytes", ["bytes", "string"], toBytes),
  conversion("double", "double", ["double", "int64", "string", "uint64"], toDouble),
  conversion("duration", "duration", ["duration", "int64", "string"], toDuration),
  conversion("int", "int64", ["int64", "double", "duration", "string", "timestamp", "uint64"], toInt),
  conversion("string", "string", ["string", "bool", "bytes", "double", "duration", "int64", "timestamp", "uint64"], stringOf),
  conversion("timestamp", "timestamp", ["timestamp", "int64", "string"], toTimestamp),
  conversion("uint", "uint64", ["uint64", "double", "int64", "string"], toUint),
]
