import { equal } from "../values/equal.ts"
import { chargeWork } from "../work.ts"
import { Double, Uint, type Value } from "../values/value.ts"

/**
 * The elements of a list, for repeated membership tests. Texts, booleans and numbers are found in constant time:
 * comparing each with each would block the event loop for long lists before costs stop it.
 */
export class Members {
  private readonly keys = new Set<Value>()
  private readonly others: Value[] = []

  constructor(elements: readonly Value[]) {
    for (const element of elements) {
      const key = keyOf(element)
      if (key === undefined) this.others.push(element)
      else this.keys.add(key)
    }
  }

  has(value: Value): boolean {
    const key = keyOf(value)
    if (key !== undefined && this.keys.has(key)) return true
    if (key !== undefined && typeof key !== "number") return false
    chargeWork(this.others.length)
    return this.others.some((other) => equal(value, other) === true)
  }
}

/** A key that equal values of different types share; undefined for values that must be compared. */
function keyOf(value: Value): Value | undefined {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value
  const number = value instanceof Double || value instanceof Uint ? value.value : value
  // Larger numbers equal others after rounding.
  return typeof number === "number" && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined
}
