import { ErrorValue, type Result, type Value } from "../values/value.ts"

/** What one evaluation works on: the variables, the accumulated cost, and the variables of comprehensions by slot. */
export class Frame {
  cost = 0
  readonly slots: Result[]

  constructor(
    readonly variables: Readonly<Record<string, Value>>,
    readonly limit: number,
    slots: number,
  ) {
    this.slots = slots === 0 ? none : new Array<Result>(slots).fill(null)
  }

  /** Adds to the cost. Beyond the limit, evaluation ends. */
  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.limit) throw new CostExceeded()
  }
}

const none: Result[] = []

/** One part of a compiled expression. */
export type Step = (frame: Frame) => Result

/** Thrown through all operators, which cannot absorb it. */
export class CostExceeded extends Error {}

export const cancelled = new ErrorValue("operation cancelled: actual cost limit exceeded", true)
