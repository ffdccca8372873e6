import { errorOf } from "../values/error.ts"
import type { Result, Value } from "../values/value.ts"
import { CostExceeded, cancelled, Frame } from "./frame.ts"
import type { Plan } from "./planner.ts"

export interface Outcome {
  /** An `ErrorValue` when evaluation failed; its `cancelled` says that the limit ended it. */
  readonly value: Result
  /** What was counted until the end. */
  readonly cost: number
}

export interface EvaluateOptions {
  /** Evaluation that costs more ends with an error. Without it, evaluation never ends early. */
  readonly costLimit?: number
}

/** A compiled expression. It may be evaluated any number of times. */
export class Program {
  constructor(private readonly plan: Plan) {}

  evaluate(variables: Readonly<Record<string, Value>>, options?: EvaluateOptions): Outcome {
    const slots = this.plan.slots.map((name): Result => {
      if (name === undefined) return null
      const value = variables[name]
      return value === undefined ? errorOf(`no such attribute(s): ${name}`) : value
    })
    const frame = new Frame(slots, options?.costLimit ?? Number.POSITIVE_INFINITY)
    try {
      return { value: this.plan.step(frame), cost: frame.cost }
    } catch (cause) {
      if (cause instanceof CostExceeded) return { value: cancelled, cost: frame.cost }
      throw cause
    }
  }
}
