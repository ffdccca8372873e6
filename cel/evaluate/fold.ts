/** Comprehensions: the expansions of macros such as `all` and `map`. */
import { errorOf, noSuchOverload } from "../values/error.ts"
import { GrowingList, listOf } from "../values/list.ts"
import { Duration, Timestamp } from "../values/time.ts"
import { Double, ErrorValue, ListValue, MapValue, OptionalValue, type Result, TypeValue, Uint, type Value } from "../values/value.ts"
import type { Step } from "./frame.ts"

export interface FoldSteps {
  readonly range: Step
  readonly init: Step
  /** Absent: the loop goes over the whole range. */
  readonly condition: Step | undefined
  readonly step: Step
  readonly result: Step
  readonly iterSlot: number
  readonly accuSlot: number
}

/** Evaluates a comprehension. An error of the condition does not end the loop. */
export function foldStep({ range, init, condition, step, result, iterSlot, accuSlot }: FoldSteps): Step {
  return (frame) => {
    const over = range(frame)
    if (!isIterable(over)) return notIterable(over)
    const { slots } = frame
    const start = init(frame)
    const building = start instanceof ListValue && start.size === 0
    slots[accuSlot] = building ? new GrowingList() : start
    const items = itemsOf(over)
    for (let index = 0; index < items.size; index++) {
      slots[iterSlot] = items.at(index)
      if (condition !== undefined) {
        const goesOn = condition(frame)
        if (goesOn === false) break
      }
      slots[accuSlot] = step(frame)
    }
    const value = result(frame)
    return value instanceof GrowingList ? value.finish() : value
  }
}

export interface QuantifierSteps {
  readonly range: Step
  readonly predicate: Step
  readonly iterSlot: number
  /** The answer of a predicate that ends the loop: false for `all`, true for `exists`. */
  readonly decisive: boolean
}

/** `all` and `exists`, with the cost of the calls that they expand to. */
export function quantifierStep({ range, predicate, iterSlot, decisive }: QuantifierSteps): Step {
  return (frame) => {
    const over = range(frame)
    if (!isIterable(over)) return notIterable(over)
    let accumulated: Result = !decisive
    const items = itemsOf(over)
    for (let index = 0; index < items.size; index++) {
      frame.slots[iterSlot] = items.at(index)
      // The condition reads the accumulator, for `exists` its negation, and asks whether it is strictly false.
      frame.charge(1)
      frame.charge(1)
      if (decisive) frame.charge(1)
      if (accumulated === decisive) break
      frame.charge(1)
      accumulated = combined(accumulated, predicate(frame), decisive)
    }
    frame.charge(1)
    return accumulated
  }
}

export interface BuildingSteps {
  readonly range: Step
  readonly predicate: Step | undefined
  readonly element: Step
  readonly iterSlot: number
  /** Cost of the list of one element: nothing when it is a constant. */
  readonly elementCost: number
}

/** `map` and `filter`, with the cost of the calls that they expand to. */
export function buildingStep({ range, predicate, element, iterSlot, elementCost }: BuildingSteps): Step {
  return (frame) => {
    const over = range(frame)
    if (!isIterable(over)) return notIterable(over)
    const values: Value[] = []
    let failed: ErrorValue | undefined
    const items = itemsOf(over)
    for (let index = 0; index < items.size; index++) {
      frame.slots[iterSlot] = items.at(index)
      if (predicate !== undefined) {
        const holds = predicate(frame)
        if (holds === false) continue
        if (holds !== true) {
          failed = holds instanceof ErrorValue ? holds : noSuchOverload()
          continue
        }
      }
      frame.charge(1)
      const value = element(frame)
      if (elementCost > 0) frame.charge(elementCost)
      frame.charge(1)
      if (value instanceof ErrorValue) failed ??= value
      else values.push(value)
    }
    frame.charge(1)
    return failed ?? listOf(values)
  }
}

/** `a && b` or `a || b` of the accumulated result and one more answer. */
function combined(accumulated: Result, answer: Result, decisive: boolean): Result {
  if (answer === decisive) return decisive
  if (typeof accumulated !== "boolean") return accumulated
  if (typeof answer === "boolean") return !decisive
  return answer instanceof ErrorValue ? answer : noSuchOverload()
}

function isIterable(value: Result): value is ListValue | MapValue {
  return value instanceof ListValue || value instanceof MapValue
}

interface Items {
  readonly size: number
  at(index: number): Result
}

/** The items of a loop: the elements of a list, the keys of a map. */
function itemsOf(over: ListValue | MapValue): Items {
  return over instanceof ListValue ? over : listOf(over.keys())
}

/** Types have the reference's own names here. */
function notIterable(value: Result): ErrorValue {
  if (value instanceof ErrorValue) return value
  return errorOf(`got '${kindOf(value)}', expected iterable type`)
}

function kindOf(value: Value): string {
  if (typeof value === "string") return "types.String"
  if (typeof value === "boolean") return "types.Bool"
  if (typeof value === "number" || typeof value === "bigint") return "types.Int"
  if (value === null) return "types.Null"
  if (value instanceof Double) return "types.Double"
  if (value instanceof Uint) return "types.Uint"
  if (value instanceof Uint8Array) return "types.Bytes"
  if (value instanceof Timestamp) return "types.Timestamp"
  if (value instanceof Duration) return "types.Duration"
  if (value instanceof OptionalValue) return "*types.Optional"
  return value instanceof TypeValue ? "*types.Type" : "types.Opaque"
}
