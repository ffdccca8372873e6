import { chargeText, chargeWork } from "../work.ts"
import { compareDoubleInteger, type Integer } from "./number.ts"
import { Duration, Timestamp } from "./time.ts"
import { Double, ErrorValue, ListValue, MapValue, OpaqueValue, OptionalValue, type Result, TypeValue, Uint, type Value } from "./value.ts"

/** Comparing longer texts counts as work. */
const longText = 1000

/**
 * `==`. Values of different types are not equal, except that numbers are compared as numbers. NaN equals nothing. Only
 * values of libraries give errors.
 */
export function equal(one: Value, other: Value): boolean | ErrorValue {
  switch (typeof one) {
    case "string":
      if (one.length > longText && typeof other === "string" && other.length === one.length) chargeText(one)
      return one === other
    case "boolean":
      return one === other
    case "number":
    case "bigint":
      return equalInteger(one, other)
  }
  if (one === null || other === null) return one === other
  if (one instanceof ListValue) return other instanceof ListValue && equalLists(one, other)
  if (one instanceof MapValue) return other instanceof MapValue && equalMaps(one, other)
  if (one instanceof Double) return equalDouble(one.value, other)
  if (one instanceof Uint) return other instanceof Uint ? one.value === other.value : equalInteger(one.value, other)
  return equalRest(one, other)
}

function equalRest(one: Value, other: Value): boolean | ErrorValue {
  if (one instanceof Timestamp) {
    return other instanceof Timestamp && one.seconds === other.seconds && one.nanos === other.nanos
  }
  if (one instanceof Duration) return other instanceof Duration && one.nanos === other.nanos
  if (one instanceof Uint8Array) return other instanceof Uint8Array && equalBytes(one, other)
  if (one instanceof OptionalValue) return other instanceof OptionalValue && equalOptionals(one, other)
  if (one instanceof TypeValue) return other instanceof TypeValue && one.type.name === other.type.name
  return one instanceof OpaqueValue && one.equals(other)
}

function equalInteger(one: Integer, other: Value): boolean {
  if (typeof other === "number" || typeof other === "bigint") return one === other
  if (other instanceof Uint) return one === other.value
  return other instanceof Double && equalDouble(other.value, one)
}

function equalDouble(one: number, other: Value): boolean {
  if (Number.isNaN(one)) return false
  if (other instanceof Double) return one === other.value
  if (typeof other === "number" || typeof other === "bigint") return compareDoubleInteger(one, other) === 0
  return other instanceof Uint && compareDoubleInteger(one, other.value) === 0
}

function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}

function equalLists(one: ListValue, other: ListValue): boolean | ErrorValue {
  if (one.size !== other.size) return false
  chargeWork(one.size)
  if (one.matches !== undefined) return one.matches(other)
  for (let index = 0; index < one.size; index++) {
    const same = equalResults(one.at(index), other.at(index))
    if (same !== true) return same
  }
  return true
}

function equalMaps(one: MapValue, other: MapValue): boolean | ErrorValue {
  chargeWork(one.size)
  if (one.matches !== undefined) return one.matches(other)
  if (one.size !== other.size) return false
  for (const key of one.keys()) {
    const value = one.find(key)
    const otherValue = other.find(key)
    if (value === undefined || otherValue === undefined) return false
    const same = equalResults(value, otherValue)
    if (same !== true) return same
  }
  return true
}

/** An element that cannot be read is equal to nothing: its error is the result. */
function equalResults(one: Result, other: Result): boolean | ErrorValue {
  if (one instanceof ErrorValue) return one
  return other instanceof ErrorValue ? other : equal(one, other)
}

function equalOptionals(one: OptionalValue, other: OptionalValue): boolean | ErrorValue {
  if (one.value === undefined || other.value === undefined) return one.value === other.value
  return equal(one.value, other.value)
}
