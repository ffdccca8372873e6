/** Results of expressions, as recorded of cel-go. */
import { describe, expect, test } from "vitest"
import { isError } from "../../cel/index.ts"
import { recordedTables, render, typeText } from "./recorded.ts"

describe.each(recordedTables())("$name", ({ cases, compile, evaluate }) => {
  test.each(cases.filter(({ issues }) => issues === undefined))("$expression", (recorded) => {
    const compiled = compile(recorded.expression)
    if (recorded.programError !== undefined) return expect(compiled).toEqual({ fault: recorded.programError })
    if (!("program" in compiled)) throw new Error("issues" in compiled ? compiled.issues.text : compiled.fault)
    const { value } = evaluate(compiled)
    const answer = isError(value) ? { error: value.message } : { value: render(value) }
    const { type, error, value: text } = recorded
    expect({ type: typeText(compiled), ...answer }).toEqual({
      type,
      ...(error === undefined ? { value: text } : { error }),
    })
  })
})
