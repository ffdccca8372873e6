import { isObject, type JsonValue } from "../../runtime/base/json.ts"
import { chargeWork } from "../work.ts"

/** Compares JSON by value; the order of an object's names does not matter. */
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
