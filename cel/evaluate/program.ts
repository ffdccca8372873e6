import { errorOf } from "../values/error.ts"
import type { Result, Value } from "../values/value.ts"
import { beginWork, CostExceeded, endWork, workMax } from "../work.ts"
import { cancelled, Frame } from "./frame.ts"
import type { Plan } from "./planner.ts"

export interface Outcome {
  /** An `ErrorValue` when evaluation failed; its `cancelled` says that the limit ended it. */
  readonly value: Result
  /** The cost that was counted until the end. */
  readonly cost: number
  /** The work beyond the cost, in units that take as long as units of cost. Counted only with a limit. */
  readonly work: number
}

export interface EvaluateOptions {
  /** Evaluation that costs more, or works more than its cost shows, ends with an error. Absent: it never ends early. */
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
    const costLimit = options?.costLimit
    const frame = new Frame(slots, costLimit ?? Number.POSITIVE_INFINITY)
    const limit = costLimit === undefined ? Number.POSITIVE_INFINITY : workMax
    const around = beginWork(limit)
    let value: Result = cancelled
    let work = 0
    try {
      value = this.plan.step(frame)
    } catch (cause) {
      if (!(cause instanceof CostExceeded)) throw cause
    } finally {
      work = endWork(around, limit)
    }
    return { value, cost: frame.cost, work }
  }
}
