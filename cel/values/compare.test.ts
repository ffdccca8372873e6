import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compare, compareTexts } from "./compare.ts"
import { equal } from "./equal.ts"
import { listOf } from "./list.ts"
import { mapOf } from "./map.ts"
import { codePoints } from "./size.ts"
import { Double, ErrorValue, Uint, type Value } from "./value.ts"

/** Characters at the limits of one and two UTF-16 units, whose orders differ, and anything else. */
const edges = ["", "a", "\u007f", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{103ff}", "\u{10ffff}"]
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...edges), { maxLength: 4 }).map((parts) => parts.join("")),
)

describe("values", () => {
  it("are texts in the order of their bytes", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(compareTexts(one, other)).toBe(Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other))))
      }),
    )
  })

  it("have sizes in code points", () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(codePoints(one)).toBe(Array.from(one).length)
      }),
    )
  })

  it.each<[Value, Value, boolean]>([
    [1, new Double(1), true],
    [new Uint(1), 1, true],
    [new Uint(2), new Double(2), true],
    [new Double(Number.NaN), new Double(Number.NaN), false],
    [1, "1", false],
    [null, null, true],
    [null, 0, false],
    [listOf([1, "a"]), listOf([new Double(1), "a"]), true],
    [listOf([1]), listOf([1, 2]), false],
    [mapOf([["a", null]]), mapOf([["a", null]]), true],
    [mapOf([["a", null]]), mapOf([["b", null]]), false],
    [
      mapOf([["a", 1]]),
      mapOf([
        ["a", 1],
        ["b", 2],
      ]),
      false,
    ],
    [mapOf([]), mapOf([["a", 1]]), false],
    [
      mapOf([["a", mapOf([["b", 1]])]]),
      mapOf([
        [
          "a",
          mapOf([
            ["b", 1],
            ["c", 2],
          ]),
        ],
      ]),
      false,
    ],
    [
      mapOf([
        ["a", 1],
        ["b", 2],
      ]),
      mapOf([
        ["b", 2],
        ["a", 1],
      ]),
      true,
    ],
    [listOf([]), listOf([null]), false],
    [Buffer.from("a"), Buffer.from("ab"), false],
    [mapOf([[1, "x"]]), mapOf([[new Uint(1), "x"]]), true],
    [Buffer.from("a"), Buffer.from("a"), true],
  ])("%o equals %o: %s", (one, other, same) => {
    expect(equal(one, other)).toBe(same)
    expect(equal(other, one)).toBe(same)
  })

  it.each<[Value, Value, number]>([
    [1, 2, -1],
    [2n ** 60n, 1, 1],
    [-1, new Uint(2n ** 63n), -1],
    [new Double(1.5), 1, 1],
    [new Uint(1), new Double(1), 0],
    [false, true, -1],
    ["a", "b", -1],
  ])("%o compares to %o as %d", (one, other, sign) => {
    expect(compare(one, other)).toBe(sign)
  })

  it("have no order beside NaN, or between types", () => {
    expect(compare(new Double(Number.NaN), 1)).toEqual(new ErrorValue("NaN values cannot be ordered"))
    expect(compare("a", 1)).toEqual(new ErrorValue("no such overload"))
  })
})
