/** Comprehensions: what macros such as `all` and `map` become. */
import { errorOf } from "../values/error.ts"
import { GrowingList } from "../values/list.ts"
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
    const list = over instanceof ListValue
    if (!list && !(over instanceof MapValue)) return over instanceof ErrorValue ? over : notIterable(over)
    const { slots } = frame
    const start = init(frame)
    const building = start instanceof ListValue && start.size === 0
    slots[accuSlot] = building ? new GrowingList() : start
    const keys = list ? undefined : over.keys()
    const size = keys === undefined ? over.size : keys.length
    for (let index = 0; index < size; index++) {
      slots[iterSlot] = keys === undefined ? elementAt(over, index) : (keys[index] ?? null)
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

function elementAt(list: ListValue | MapValue, index: number): Result {
  return list instanceof ListValue ? list.at(index) : null
}

/** Named as the reference names its own types. */
function notIterable(value: Value): ErrorValue {
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
