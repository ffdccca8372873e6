import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from "../types/type.ts"
import { Duration, Timestamp } from "./time.ts"
import { Double, ListValue, MapValue, OpaqueValue, OptionalValue, TypeValue, Uint, type Value } from "./value.ts"

const anyList = listType(dynType)
const anyMap = mapType(dynType, dynType)
const anyOptional = optionalType(dynType)
const anyTypeType = typeType()

/** The type of a value as `type(x)` reports it: parameters are unknown at run time, and objects are maps. */
export function typeOf(value: Value): CelType {
  switch (typeof value) {
    case "string":
      return stringType
    case "boolean":
      return boolType
    case "number":
    case "bigint":
      return intType
  }
  if (value === null) return nullType
  if (value instanceof ListValue) return anyList
  if (value instanceof MapValue) return anyMap
  if (value instanceof Double) return doubleType
  if (value instanceof Uint) return uintType
  if (value instanceof Timestamp) return timestampType
  if (value instanceof Duration) return durationType
  if (value instanceof Uint8Array) return bytesType
  if (value instanceof OptionalValue) return anyOptional
  if (value instanceof OpaqueValue) return value.type
  return value instanceof TypeValue ? anyTypeType : dynType
}
