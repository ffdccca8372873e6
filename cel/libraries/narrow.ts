/**
 * Arguments of implementations, narrowed to the declared type. The evaluator has checked them already, so a fault here
 * means a wrong declaration.
 */
import { isError } from "../values/error.ts"
import { ListValue, type Result, type Value } from "../values/value.ts"

export function textOf(value: Value | undefined): string {
  if (typeof value !== "string") throw new TypeError("not a string")
  return value
}

export function integerOf(value: Value | undefined): number | bigint {
  if (typeof value !== "number" && typeof value !== "bigint") throw new TypeError("not an int")
  return value
}

export function listOfArgument(value: Value | undefined): ListValue {
  if (!(value instanceof ListValue)) throw new TypeError("not a list")
  return value
}

/** Computes with the elements of a list. The result is the error of an element that cannot be read. */
export function overElements(list: Value | undefined, compute: (elements: readonly Value[]) => Result): Result {
  const elements = listOfArgument(list).toArray()
  return areValues(elements) ? compute(elements) : (elements.find(isError) ?? null)
}

function areValues(elements: readonly Result[]): elements is readonly Value[] {
  return !elements.some(isError)
}
