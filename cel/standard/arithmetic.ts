/** `+ - * / %` and the sign. */
import type { FunctionDeclaration, Overload } from "../declaration.ts"
import {
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  paramType,
  stringType,
  timestampType,
  uintType,
} from "../types/type.ts"
import { noSuchOverload } from "../values/error.ts"
import { joinLists } from "../values/list.ts"
import {
  addInts,
  addUints,
  divideInts,
  divideUints,
  type Integer,
  moduloInts,
  moduloUints,
  multiplyInts,
  multiplyUints,
  negateInt,
  subtractInts,
  subtractUints,
} from "../values/number.ts"
import { Duration, Timestamp } from "../values/time.ts"
import { addDurations, addToTime, negateDuration, subtractDurations, subtractTimes } from "../values/time-arithmetic.ts"
import { Double, type ErrorValue, ListValue, type Result, Uint, type Value } from "../values/value.ts"

/** The error of an operator for a value whose type has no such operator. */
export function unsupported(operator: string, value: Value): ErrorValue {
  const receiver = typeof value === "string" || value instanceof Timestamp || value instanceof Duration
  return receiver ? noSuchOverload() : noSuchOverload(operator)
}

function isInteger(value: Value): value is Integer {
  return typeof value === "number" || typeof value === "bigint"
}

/** `+` of any two values; libraries sum with it. */
export function add(one: Value, other: Value): Result {
  if (isInteger(one)) return isInteger(other) ? addInts(one, other) : noSuchOverload()
  if (typeof one === "string") return typeof other === "string" ? one + other : noSuchOverload()
  if (one instanceof ListValue) return other instanceof ListValue ? joinLists(one, other) : noSuchOverload()
  if (one instanceof Double) return other instanceof Double ? new Double(one.value + other.value) : noSuchOverload()
  if (one instanceof Uint) return other instanceof Uint ? addUints(one, other) : noSuchOverload()
  if (one instanceof Uint8Array) return other instanceof Uint8Array ? Buffer.concat([one, other]) : noSuchOverload()
  if (one instanceof Timestamp) return other instanceof Duration ? addToTime(one, other.nanos) : noSuchOverload()
  if (one instanceof Duration) {
    if (other instanceof Timestamp) return addToTime(other, one.nanos)
    return other instanceof Duration ? addDurations(one, other) : noSuchOverload()
  }
  return unsupported("_+_", one)
}

function subtract(one: Value, other: Value): Result {
  if (isInteger(one)) return isInteger(other) ? subtractInts(one, other) : noSuchOverload()
  if (one instanceof Double) return other instanceof Double ? new Double(one.value - other.value) : noSuchOverload()
  if (one instanceof Uint) return other instanceof Uint ? subtractUints(one, other) : noSuchOverload()
  if (one instanceof Duration) return other instanceof Duration ? subtractDurations(one, other) : noSuchOverload()
  if (one instanceof Timestamp) {
    if (other instanceof Timestamp) return subtractTimes(one, other)
    if (!(other instanceof Duration)) return noSuchOverload()
    const negative = negateDuration(other)
    return negative instanceof Duration ? addToTime(one, negative.nanos) : negative
  }
  return unsupported("_-_", one)
}

function multiply(one: Value, other: Value): Result {
  if (isInteger(one)) return isInteger(other) ? multiplyInts(one, other) : noSuchOverload()
  if (one instanceof Double) return other instanceof Double ? new Double(one.value * other.value) : noSuchOverload()
  if (one instanceof Uint) return other instanceof Uint ? multiplyUints(one, other) : noSuchOverload()
  return unsupported("_*_", one)
}

function divide(one: Value, other: Value): Result {
  if (isInteger(one)) return isInteger(other) ? divideInts(one, other) : noSuchOverload()
  if (one instanceof Double) return other instanceof Double ? new Double(one.value / other.value) : noSuchOverload()
  if (one instanceof Uint) return other instanceof Uint ? divideUints(one, other) : noSuchOverload()
  return unsupported("_/_", one)
}

function modulo(one: Value, other: Value): Result {
  if (isInteger(one)) return isInteger(other) ? moduloInts(one, other) : noSuchOverload()
  if (one instanceof Uint) return other instanceof Uint ? moduloUints(one, other) : noSuchOverload()
  return unsupported("_%_", one)
}

function negate(one: Value): Result {
  if (isInteger(one)) return negateInt(one)
  if (one instanceof Double) return new Double(-one.value)
  if (one instanceof Duration) return negateDuration(one)
  return typeof one === "boolean" ? noSuchOverload() : unsupported("-_", one)
}

function overload(id: string, result: CelType, ...args: readonly CelType[]): Overload {
  return { id, args, result }
}

const listOfA = listType(paramType("A"))

export const arithmetic: readonly FunctionDeclaration[] = [
  {
    name: "_+_",
    impl: add,
    overloads: [
      overload("add_bytes", bytesType, bytesType, bytesType),
      overload("add_double", doubleType, doubleType, doubleType),
      overload("add_duration_duration", durationType, durationType, durationType),
      overload("add_duration_timestamp", timestampType, durationType, timestampType),
      overload("add_timestamp_duration", timestampType, timestampType, durationType),
      overload("add_int64", intType, intType, intType),
      overload("add_list", listOfA, listOfA, listOfA),
      overload("add_string", stringType, stringType, stringType),
      overload("add_uint64", uintType, uintType, uintType),
    ],
  },
  {
    name: "_-_",
    impl: subtract,
    overloads: [
      overload("subtract_double", doubleType, doubleType, doubleType),
      overload("subtract_duration_duration", durationType, durationType, durationType),
      overload("subtract_int64", intType, intType, intType),
      overload("subtract_timestamp_duration", timestampType, timestampType, durationType),
      overload("subtract_timestamp_timestamp", durationType, timestampType, timestampType),
      overload("subtract_uint64", uintType, uintType, uintType),
    ],
  },
  {
    name: "_*_",
    impl: multiply,
    overloads: [
      overload("multiply_double", doubleType, doubleType, doubleType),
      overload("multiply_int64", intType, intType, intType),
      overload("multiply_uint64", uintType, uintType, uintType),
    ],
  },
  {
    name: "_/_",
    impl: divide,
    overloads: [
      overload("divide_double", doubleType, doubleType, doubleType),
      overload("divide_int64", intType, intType, intType),
      overload("divide_uint64", uintType, uintType, uintType),
    ],
  },
  {
    name: "_%_",
    impl: modulo,
    overloads: [overload("modulo_int64", intType, intType, intType), overload("modulo_uint64", uintType, uintType, uintType)],
  },
  {
    name: "-_",
    impl: negate,
    overloads: [overload("negate_double", doubleType, doubleType), overload("negate_int64", intType, intType)],
  },
]
