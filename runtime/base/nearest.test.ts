import { expect, test } from "vitest"
import { nearest } from "./nearest.ts"

const words = ["default", "deprecated", "doc", "maxLength", "minLength", "status"]

test.each([
  ["defualt", "default"],
  ["Default", "default"],
  ["statsu", "status"],
  ["maxlenght", "maxLength"],
  ["dco", "doc"],
  ["colour", undefined],
  ["", undefined],
])("%s: %s", (word, meant) => expect(nearest(word, words)).toBe(meant))

test("prefers the first of two equally near words", () => {
  expect(nearest("mnxLength", words)).toBe("maxLength")
})
