/** What the compiler says of wrong expressions, and which version compiles an expression, as recorded of cel-go. */
import { describe, expect, test } from "vitest"
import { type Case, recordedTables } from "./recorded.ts"

/** A case with its table. */
const all = recordedTables().flatMap(({ name, cases, compile }) => cases.map((one: Case) => ({ ...one, name, compile })))

describe("issues", () => {
  test.each(all.filter(({ issues }) => issues !== undefined))("$name: $expression", ({ expression, issues, compile }) => {
    const compiled = compile(expression)
    expect("issues" in compiled ? compiled.issues.text : compiled).toBe(issues)
  })
})

describe("compatibility version 1.29", () => {
  test.each(all.filter(({ since }) => since !== undefined))("$name: $expression", ({ expression, since, compile }) => {
    expect("issues" in compile(expression, 29)).toBe(since === "1.30")
  })
})
