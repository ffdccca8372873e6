/** What the compiler says of wrong expressions, and which version compiles an expression, as recorded of cel-go. */
import { describe, expect, test } from "vitest"
import { recordedTables } from "./recorded.ts"

describe.each(recordedTables())("$name", ({ cases, compile }) => {
  test.each(cases.filter(({ issues }) => issues !== undefined))("$expression", ({ expression, issues }) => {
    const compiled = compile(expression)
    expect("issues" in compiled ? compiled.issues.text : compiled).toBe(issues)
  })

  test.each(cases.filter(({ since }) => since !== undefined))("$expression since $since", ({ expression, since }) => {
    const compiled = compile(expression, 29)
    expect("issues" in compiled).toBe(since === "1.30")
  })
})
