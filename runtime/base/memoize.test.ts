import { expect, it } from "vitest"
import { memoize } from "./memoize.ts"

it("computes a result once for short texts, and limits what it keeps", () => {
  const made: string[] = []
  const lengthOf = memoize((text) => {
    made.push(text)
    if (text === "bad") throw new Error("bad")
    return { length: text.length }
  })
  expect(lengthOf("a")).toBe(lengthOf("a"))
  expect(made).toEqual(["a"])
  const long = "x".repeat(1000)
  expect(lengthOf(long)).not.toBe(lengthOf(long))
  expect(() => lengthOf("bad")).toThrow("bad")
  expect(() => lengthOf("bad")).toThrow("bad")
  const first = lengthOf("a")
  for (let index = 0; index < 1000; index++) lengthOf(String(index))
  expect(lengthOf("a")).not.toBe(first)
})
