/** Operators that need not evaluate all of their operands. */
import { listOf } from "../values/list.ts"
import { noSuchOverload } from "../values/error.ts"
import { ErrorValue, OptionalValue, type Result } from "../values/value.ts"
import type { Step } from "./frame.ts"

/** `a && b`, `a || b`: `decisive` on either side is the result, even if the other side is an error. */
export function logicStep(left: Step, right: Step, decisive: boolean): Step {
  return (frame) => {
    const one = left(frame)
    if (one === decisive) return decisive
    const other = right(frame)
    if (other === decisive) return decisive
    if (typeof one === "boolean" && typeof other === "boolean") return !decisive
    return typeof one === "boolean" ? failure(other) : failure(one)
  }
}

function failure(value: Result): ErrorValue {
  return value instanceof ErrorValue ? value : noSuchOverload()
}

/** A condition whose errors are false. */
export function lenientCondition(condition: Step): Step {
  return (frame) => {
    const holds = condition(frame)
    return holds instanceof ErrorValue ? false : holds
  }
}

/** The range of a loop, whose errors are the empty list. */
export function lenientRange(range: Step): Step {
  return (frame) => {
    const over = range(frame)
    return over instanceof ErrorValue ? emptyList : over
  }
}

const emptyList = listOf([])

export function conditionalStep(condition: Step, yes: Step, no: Step): Step {
  return (frame) => {
    const holds = condition(frame)
    if (holds === true) return yes(frame)
    return holds === false ? no(frame) : failure(holds)
  }
}

/** True for everything but false, also for errors. */
export function notStrictlyFalse(arg: Step): Step {
  return (frame) => {
    const value = arg(frame)
    frame.charge(1)
    return value !== false
  }
}

/** `optional.or(other)`, and with `unwrap` `optional.orValue(value)`. They cost nothing. */
export function orStep(left: Step, right: Step, unwrap: boolean): Step {
  return (frame) => {
    const optional = left(frame)
    if (!(optional instanceof OptionalValue)) return optional
    if (optional.value === undefined) return right(frame)
    return unwrap ? optional.value : optional
  }
}
