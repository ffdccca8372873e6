import { isObject, type JsonValue } from "../../runtime/base/json.ts"
import { chargeWork } from "../work.ts"

/** Compares JSON by value, regardless of the order of an object's names. */
export function sameJson(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true
  chargeWork(1)
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((part, at) => sameJson(part, other[at] ?? null))
  }
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameJson(one[name] ?? null, other[name] ?? null))
  )
}
