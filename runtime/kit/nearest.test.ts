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

test("of two words equally near, the first", () => {
  expect(nearest("mnxLength", words)).toBe("maxLength")
})
