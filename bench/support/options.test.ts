import { expect, it } from "vitest"
import { openOptions } from "./options.ts"

const scale = { small: 10, full: 1000 }

it("sizes are small by default, published with --full, or as given", () => {
  expect(openOptions([]).number("objects", scale)).toBe(10)
  expect(openOptions(["--full"]).number("objects", scale)).toBe(1000)
  expect(openOptions(["--full", "--objects=7"]).number("objects", scale)).toBe(7)
})

it("accepts several numbers with commas, and words as they are", () => {
  const options = openOptions(["--sizes=1,20", "--only=get=x"])
  expect(options.numbers("sizes", { small: [1], full: [2] })).toEqual([1, 20])
  expect(options.word("only", "")).toBe("get=x")
  options.done()
})
