import fc from "fast-check"
import { expect, it } from "vitest"
import { turnValues } from "../limits.ts"
import { atOnce } from "../turns.ts"
import { least, sorting } from "./sorting.ts"

it("sorts as the built-in does, in pieces", () => {
  for (const length of [0, 1, turnValues, turnValues * 3 + 7, turnValues * 4]) {
    const texts = Array.from({ length }, (_none, index) => ((index * 7919) % 99991).toString(36))
    const sorted = [...texts].sort()
    let pieces = 0
    for (const _piece of sorting(texts)) pieces++
    expect(texts).toEqual(sorted)
    expect(pieces).toBeGreaterThanOrEqual(length / turnValues)
  }
})

it("orders texts by their code units, and finds the first", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (texts) => {
      const copy = [...texts]
      atOnce(sorting(copy))
      expect(copy).toEqual([...texts].sort())
      expect(least(texts)).toBe(copy[0] ?? "")
    }),
  )
})
