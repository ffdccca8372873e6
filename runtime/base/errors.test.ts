import { expect, it } from "vitest"
import { internal, preconditionText, unauthorized } from "./errors.ts"

it("a failed precondition is reported with the beginning of a long value", () => {
  expect(preconditionText("UID", "a", "b")).toBe("Precondition failed: UID in precondition: a, UID in object meta: b")
  expect(preconditionText("ResourceVersion", "x".repeat(100_000), "7").length).toBeLessThan(1200)
})

it("a refusal captures no stack, a server error does", () => {
  expect(unauthorized().stack).not.toContain("errors.test.ts")
  expect(internal("broken").stack).toContain("errors.test.ts")
  expect(new Error("other").stack).toContain("errors.test.ts")
})
