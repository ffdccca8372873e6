import { expect, test } from "vitest"
import { trimmed, trimmedEnd, trimmedStart } from "./trim.ts"

test.each([
  ["", "", ""],
  ["  ", "", ""],
  [" a  b ", " a  b", "a  b "],
  ["ab", "ab", "ab"],
  ["\ta ", "\ta", "\ta "],
])("%j", (text, withoutEnd, withoutStart) => {
  expect(trimmedEnd(text, " ")).toBe(withoutEnd)
  expect(trimmedStart(text, " ")).toBe(withoutStart)
  expect(trimmed(text, " ")).toBe(text.replace(/^ +/, "").replace(/ +$/, ""))
})

test("removes several characters", () => {
  expect(trimmed("/-a/-b-/", "/-")).toBe("a/-b")
})
