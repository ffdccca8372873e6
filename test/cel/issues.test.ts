/** Messages about wrong expressions, and the versions that compile an expression, as recorded of cel-go. */
import { describe, expect, test } from "vitest"
import { type Case, recordedTables } from "./recorded.ts"

/** A case with its table. */
const all = recordedTables().flatMap(({ name, cases, compile }) => cases.map((one: Case) => ({ ...one, name, compile })))

/** The reference writes trees with one or two spaces, as its build decides. */
function spaced(text: string): string {
  return text.replace(/ {2,}/g, " ")
}

describe("issues", () => {
  test.each(all.filter(({ issues }) => issues !== undefined))("$name: $expression", ({ expression, issues, compile }) => {
    const compiled = compile(expression)
    expect("issues" in compiled ? spaced(compiled.issues.text) : compiled).toBe(spaced(issues ?? ""))
  })
})

describe("compatibility version 1.29", () => {
  test.each(all.filter(({ since }) => since !== undefined))("$name: $expression", ({ expression, since, compile }) => {
    expect("issues" in compile(expression, 29)).toBe(since === "1.30")
  })
})
