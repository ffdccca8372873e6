import fc from "fast-check"
import { expect, test } from "vitest"
import { countBelow, OrderedMap, orderedMapOf, leafRangesOf, valuesOf } from "./ordered-map.ts"

const compare = (left: number, right: number): number => left - right
const key = fc.integer({ min: 0, max: 3000 })

test("counts keys below a bound and walks values after any sets and deletes, in a map and its clones", () => {
  const change = fc.record({ from: key, length: fc.integer({ min: 1, max: 400 }), deletes: fc.boolean(), clones: fc.boolean() })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), fc.array(key, { minLength: 1 }), fc.boolean(), (changes, asked, loaded) => {
      const first = Array.from({ length: 1000 }, (_, index) => index * 3)
      let map = loaded ? orderedMapOf([...first], [...first], compare) : new OrderedMap<number, number>(undefined, compare)
      const model = new Set(loaded ? first : [])
      const states: { map: typeof map; keys: number[] }[] = []
      for (const { from, length, deletes, clones } of changes) {
        if (clones) {
          states.push({ map, keys: [...model] })
          map = map.clone()
        }
        for (let each = from; each < from + length; each++) {
          if (deletes) map.delete(each)
          else map.set(each, each)
          if (deletes) model.delete(each)
          else model.add(each)
        }
      }
      states.push({ map, keys: [...model] })
      for (const { map: state, keys } of states)
        for (const bound of [-1, ...asked, 4000]) {
          expect(countBelow(state, bound, compare)).toBe(keys.filter((each) => each < bound).length)
          for (const after of [false, true]) expect(walked(state, bound, after)).toEqual(inOrder(keys, bound, after))
        }
    }),
    { numRuns: 50 },
  )
})

/** Checks also a walk that ends at a key in the middle of the result. */
function walked(map: InstanceType<typeof OrderedMap<number, number>>, from: number, after: boolean): number[] {
  const following = inOrder([...map.keys()], from, after)
  const below = following[following.length >> 1] ?? -1
  expect([...valuesOf(map, { from, after, below }, compare)]).toEqual(following.filter((each) => each < below))
  expect(
    [...leafRangesOf(map, { from, after, below: Infinity }, compare)].flatMap(({ end, start, values }) => values.slice(start, end)),
  ).toEqual(following)
  return [...valuesOf(map, { from, after, below: Infinity }, compare)]
}

function inOrder(keys: readonly number[], from: number, after: boolean): number[] {
  return keys.filter((each) => (after ? each > from : each >= from)).sort(compare)
}
