/** Costs of expressions, before and at run time, as recorded of cel-go. */
import { describe, expect, test } from "vitest"
import { recordedTables } from "./recorded.ts"

describe.each(recordedTables())("$name", ({ cases, compile, estimate, evaluate }) => {
  test.each(cases.filter(({ cost }) => cost !== undefined))("$expression", (recorded) => {
    const compiled = compile(recorded.expression)
    if (!("program" in compiled)) throw new Error("it does not compile")
    const { min, max } = estimate(compiled)
    const { cost } = evaluate(compiled)
    expect({ cost: BigInt(cost), estimate: [min, max] }).toEqual({ cost: recorded.cost, estimate: recorded.estimate })
  })
})
