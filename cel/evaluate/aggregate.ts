/** Lists and maps that are written in an expression. */
import { errorOf } from "../values/error.ts"
import { listOf } from "../values/list.ts"
import { mapOf } from "../values/map.ts"
import { print } from "../values/print.ts"
import { Double, ErrorValue, OptionalValue, Uint, type ListValue, type Value } from "../values/value.ts"
import type { Step } from "./frame.ts"

/** Cost of making a list, besides its elements. */
export const listCost = 10
const mapCost = 30

export function listStep(elements: readonly Step[], optional: ReadonlySet<number>): Step {
  const build: Step = (frame) => {
    const values: Value[] = []
    for (let index = 0; index < elements.length; index++) {
      const value = elements[index]?.(frame) ?? null
      if (value instanceof ErrorValue) return value
      if (!optional.has(index)) values.push(value)
      else if (!(value instanceof OptionalValue)) {
        return errorOf(`cannot initialize optional list element from non-optional value ${print(value)}`)
      } else if (value.value !== undefined) values.push(value.value)
    }
    return listOf(values)
  }
  return (frame) => {
    const result = build(frame)
    frame.charge(listCost)
    return result
  }
}

export interface EntryStep {
  readonly key: Step
  readonly value: Step
  readonly optional: boolean
}

export function mapStep(entries: readonly EntryStep[]): Step {
  const build: Step = (frame) => {
    const values: [Value, Value][] = []
    for (const entry of entries) {
      const key = entry.key(frame)
      if (key instanceof ErrorValue) return key
      const value = entry.value(frame)
      if (value instanceof ErrorValue) return value
      if (!entry.optional) values.push([key, value])
      else if (!(value instanceof OptionalValue)) {
        return errorOf(`cannot initialize optional entry '${print(key)}' from non-optional value ${print(value)}`)
      } else if (value.value !== undefined) values.push([key, value.value])
    }
    return mapOf(values)
  }
  return (frame) => {
    const result = build(frame)
    frame.charge(mapCost)
    return result
  }
}

type Hashed = string | number | bigint | boolean

/** The key of a value in a set: equal numbers of all types have the same key. */
function hashed(value: Value): Hashed | undefined {
  if (typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number" || typeof value === "bigint") return value
  if (value instanceof Uint) return value.value
  if (!(value instanceof Double) || Number.isNaN(value.value)) return undefined
  const number = value.value
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? BigInt(number) : number + 0
}

/** `x in [constants]`: the list is a set, and the test costs nothing. Undefined when an element cannot be hashed. */
export function membershipStep(value: Step, list: ListValue): Step | undefined {
  const set = new Set<Hashed>()
  for (const element of list.toArray()) {
    if (element instanceof ErrorValue) return undefined
    const nan = element instanceof Double && Number.isNaN(element.value)
    const key = hashed(element)
    if (key === undefined && !nan) return undefined
    if (key !== undefined) set.add(key)
  }
  return (frame) => {
    const found = value(frame)
    if (found instanceof ErrorValue) return found
    const key = hashed(found)
    return key !== undefined && set.has(key)
  }
}
