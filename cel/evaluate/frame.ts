import { ErrorValue, type Result } from "../values/value.ts"
import { CostExceeded } from "../work.ts"

/** The state of one evaluation: the variables and the accumulated cost. */
export class Frame {
  cost = 0

  constructor(
    /** Values of variables, by slot. */
    readonly slots: Result[],
    private readonly limit: number,
  ) {}

  /** Adds to the cost. Beyond the limit, evaluation ends. */
  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.limit) throw new CostExceeded()
  }
}

/** One part of a compiled expression. */
export type Step = (frame: Frame) => Result

export const cancelled = new ErrorValue("operation cancelled: actual cost limit exceeded", true)
