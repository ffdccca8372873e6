/**
 * Arguments of implementations, by the type that their declaration names. The evaluator has checked them already, so a
 * fault here is a fault of a declaration.
 */
import { ListValue, type Value } from "../index.ts"

export function textOf(value: Value | undefined): string {
  if (typeof value !== "string") throw new TypeError("not a string")
  return value
}

export function integerOf(value: Value | undefined): number | bigint {
  if (typeof value !== "number" && typeof value !== "bigint") throw new TypeError("not an int")
  return value
}

export function elementsOf(value: Value | undefined): ListValue {
  if (!(value instanceof ListValue)) throw new TypeError("not a list")
  return value
}
