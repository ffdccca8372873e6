import { expect, it } from "vitest"
import { preconditionText } from "./errors.ts"

it("a precondition that does not hold is told with the beginning of what is long", () => {
  expect(preconditionText("UID", "a", "b")).toBe("Precondition failed: UID in precondition: a, UID in object meta: b")
  expect(preconditionText("ResourceVersion", "x".repeat(100_000), "7").length).toBeLessThan(1200)
})
