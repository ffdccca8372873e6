import fc from "fast-check"
import { expect, test } from "vitest"
import { turnWorkMax } from "../base/limits.ts"
import { Turns } from "../base/turns.ts"
import { sortInTurns } from "./sort-in-turns.ts"

interface Value {
  readonly key: number
  readonly place: number
}

const byKey = (left: Value, right: Value): number => left.key - right.key
const values = (keys: readonly number[]): Value[] => keys.map((key, place) => ({ key, place }))

test("sorts like Array.sort, and is stable", async () => {
  const keys = fc.oneof(fc.array(fc.nat(10)), fc.array(fc.nat(100), { minLength: 1000, maxLength: 5000, size: "max" }))
  await fc.assert(
    fc.asyncProperty(keys, async (drawn) => {
      const given = values(drawn)
      expect(await sortInTurns(given, byKey, new Turns())).toEqual(given.toSorted(byKey))
      expect(given).toEqual(values(drawn))
    }),
    { numRuns: 50 },
  )
})

test("yields to other work many times while it sorts a large array", async () => {
  const count = 200_000
  const given = values(Array.from({ length: count }, (_, index) => (index * 7919) % 100_003))
  let compared = 0
  let mostAtOnce = 0
  let waiting = true
  let seen = 0
  setImmediate(function look() {
    mostAtOnce = Math.max(mostAtOnce, compared - seen)
    seen = compared
    if (waiting) setImmediate(look)
  })
  const sorted = await sortInTurns(
    given,
    (left, right) => {
      compared++
      return byKey(left, right)
    },
    new Turns(),
  )
  waiting = false
  expect(sorted).toEqual(given.toSorted(byKey))
  // A comparison counts as a fifth of a microsecond.
  expect(mostAtOnce).toBeLessThan(turnWorkMax * 5 * 2)
})
