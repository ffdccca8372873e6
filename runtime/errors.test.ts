import { expect, it } from "vitest"
import { internal, preconditionText, unauthorized } from "./errors.ts"

it("a precondition that does not hold is told with the beginning of what is long", () => {
  expect(preconditionText("UID", "a", "b")).toBe("Precondition failed: UID in precondition: a, UID in object meta: b")
  expect(preconditionText("ResourceVersion", "x".repeat(100_000), "7").length).toBeLessThan(1200)
})

it("a refusal does not look for where it was made, and a fault of the server does", () => {
  expect(unauthorized().stack).not.toContain("errors.test.ts")
  expect(internal("broken").stack).toContain("errors.test.ts")
  expect(new Error("other").stack).toContain("errors.test.ts")
})
