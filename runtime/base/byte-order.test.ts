import fc from "fast-check"
import { expect, it } from "vitest"
import { compareBytes, sortByBytes } from "./byte-order.ts"

/** From the ranges whose order differs, and from others. */
const text = fc.string({ unit: fc.constantFrom("a", "b", "ä", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"), maxLength: 4 })

it("compares as Buffer does", () => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(Math.sign(compareBytes(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)))
    }),
  )
})

it("sorts as Buffer does, in place, what is sorted already and what is not", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      const sorted = texts
        .map((one) => Buffer.from(one))
        .sort(Buffer.compare)
        .map(String)
      const given = [...texts]
      expect(sortByBytes(given)).toBe(given)
      expect(given).toEqual(sorted)
      expect(sortByBytes([...sorted])).toEqual(sorted)
    }),
  )
})
