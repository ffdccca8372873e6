/** `operand.field`, `operand[key]` and their optional forms, on values. */
import { errorOf, noSuchOverload } from "../values/error.ts"
import { losslessInteger } from "../values/number.ts"
import { print } from "../values/print.ts"
import { typeOf } from "../values/type-of.ts"
import { Double, type ErrorValue, ListValue, MapValue, type Result, Uint, type Value } from "../values/value.ts"

/** The value under a key, or the error that there is none. */
export function lookUp(operand: Value, key: Value): Result {
  if (operand instanceof MapValue) return found(operand.find(key), key)
  if (!(operand instanceof ListValue)) return missing(key)
  const index = indexOf(operand, key)
  if (typeof index !== "number") return index
  return index < 0 ? errorOf(`index out of bounds: ${print(key)}`) : operand.at(index)
}

/** The value under a key; undefined when it is absent, or an error for an invalid key. */
export function lookUpOptional(operand: Value, key: Value): Result | undefined {
  if (operand instanceof MapValue) return operand.findSent === undefined ? operand.find(key) : operand.findSent(key)
  if (!(operand instanceof ListValue)) return undefined
  const index = indexOf(operand, key)
  if (typeof index !== "number") return index
  return index < 0 ? undefined : operand.at(index)
}

/** The result of a map's look-up, or the error that the key is absent. Null is a value. */
export function found(value: Result | undefined, key: Value): Result {
  return value === undefined ? missing(key) : value
}

function missing(key: Value): ErrorValue {
  return errorOf(`no such key: ${print(key)}`)
}

/** The index that a key denotes; -1 when it is beyond the list. */
function indexOf(list: ListValue, key: Value): number | ErrorValue {
  if (typeof key === "number") return key >= 0 && key < list.size ? key : -1
  const index = losslessInteger(key)
  if (index === undefined) {
    return key instanceof Double
      ? errorOf(`unsupported index value ${print(key)} in list`)
      : errorOf(`unsupported index type '${typeOf(key).name}' in list`)
  }
  if (typeof index !== "number" || index < 0 || index >= list.size) return -1
  return list.intIndex === true ? errorOf(`unsupported index: ${print(key)}`) : index
}

/** Whether a value computed at run time can be a key: values of other types cannot. */
export function isKey(value: Value): boolean {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
    case "boolean":
      return true
    default:
      return value instanceof Double || value instanceof Uint
  }
}

/** The error for a key of another type. */
export function badKey(value: Value): ErrorValue {
  return value === null ? errorOf("invalid qualifier type: types.Null") : noSuchOverload()
}
