import { describe, expect, it } from "vitest"
import { queryParametersMax } from "../../base/limits.ts"
import { booleanParameter, integerParameter, parseQuery } from "./query.ts"

describe("parseQuery", () => {
  it("omits ambiguous pairs, as the reference does", () => {
    expect([...parseQuery("a=1;b=2&c=3&d=%zz&e=%41&f=%")]).toEqual([
      ["c", "3"],
      ["e", "A"],
    ])
    expect([...parseQuery("a=%20&b=+&b=2&c")]).toEqual([
      ["a", " "],
      ["b", " "],
      ["b", "2"],
      ["c", ""],
    ])
    expect([...parseQuery("")]).toEqual([])
    // Without an equals sign it requests a real run; an empty value is refused later.
    expect([...parseQuery("dryRun&a=1")]).toEqual([["a", "1"]])
    expect([...parseQuery("dryRun=&a=1")]).toEqual([
      ["dryRun", ""],
      ["a", "1"],
    ])
    expect([...parseQuery("?limit=1")]).toEqual([["?limit", "1"]])
  })

  it("refuses more parameters than any client sends", () => {
    expect([...parseQuery("&a".repeat(queryParametersMax - 1))]).toHaveLength(queryParametersMax - 1)
    expect(() => parseQuery("&a".repeat(queryParametersMax))).toThrow("more than 50000 parameters")
  })
})

describe("integerParameter", () => {
  const read = (text: string): number | undefined => integerParameter(parseQuery(text), "n")
  it("parses 64-bit integers, using the first value", () => {
    expect([read(""), read("n=0"), read("n=007"), read("n=-5"), read("n=%2B5"), read("n=1&n=x")]).toEqual([undefined, 0, 7, -5, 5, 1])
    expect([read("n=9223372036854775807"), read("n=-9223372036854775808")]).toEqual([Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])
  })
  it.each(["n=", "n", "n=x", "n=1.5", "n=1e3", "n=0x10", "n=1_0", "n=%201", "n=9223372036854775808", "n=-9223372036854775809", "n=-"])(
    "refuses %s",
    (text) =>
      expect(() => read(text)).toThrow(
        /^strconv.ParseInt: parsing .*: (invalid syntax|value out of range): query parameter n must be a whole number/,
      ),
  )
})

describe("booleanParameter", () => {
  it("takes everything except false and 0 as true", () => {
    const read = (text: string): boolean | undefined => booleanParameter(parseQuery(text), "b")
    expect([read(""), read("b"), read("b="), read("b=1"), read("b=x"), read("b=FALSE"), read("b=0"), read("b=false")]).toEqual([
      undefined,
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
