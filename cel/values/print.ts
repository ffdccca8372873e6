import { formatDuration } from "../../runtime/base/duration.ts"
import { doubleText } from "./double-text.ts"
import { Duration, Timestamp } from "./time.ts"
import { timestampText } from "./timestamp-text.ts"
import { Double, ErrorValue, ListValue, MapValue, OpaqueValue, OptionalValue, type Result, TypeValue, Uint, type Value } from "./value.ts"
import { chargeWork } from "../work.ts"

/** A value within a message: `no such key: x`. */
export function print(value: Result): string {
  if (value instanceof ListValue || value instanceof MapValue) chargeWork(value.size * 4)
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value)
  if (value === null) return "0"
  if (value instanceof Double) return doubleText(value.value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp) return timestampText(value)
  if (value instanceof Duration) return formatDuration(value.nanos)
  if (value instanceof Uint8Array) {
    chargeWork(value.length)
    return `[${value.join(" ")}]`
  }
  if (value instanceof ListValue) return `[${value.toArray().map(print).join(", ")}]`
  if (value instanceof MapValue)
    return `{${value
      .keys()
      .map((key) => printEntry(value, key))
      .join(", ")}}`
  if (value instanceof OptionalValue) {
    return value.value === undefined ? "optional.none()" : `optional(${print(value.value)})`
  }
  if (value instanceof TypeValue) return value.type.name
  if (value instanceof ErrorValue) return value.message
  return value instanceof OpaqueValue ? value.print() : ""
}

function printEntry(map: MapValue, key: Value): string {
  return `${print(key)}: ${print(map.find(key) ?? null)}`
}
