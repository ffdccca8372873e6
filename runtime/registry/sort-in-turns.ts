/** Sorts large arrays and yields to other requests in between. */
import { compareWork } from "../base/work.ts"
import type { Turns } from "../base/turns.ts"

/** Values to sort, or to merge, between two checks whether to yield: about two milliseconds. */
const atOnce = 1024

type Compare<Value> = (left: Value, right: Value) => number

/** Returns the values in order. Stable, as `Array.sort` is. */
export async function sortInTurns<Value extends object>(values: readonly Value[], compare: Compare<Value>, turns: Turns): Promise<Value[]> {
  let runs: Value[][] = []
  for (let start = 0; start < values.length; start += atOnce) {
    const run = values.slice(start, start + atOnce).sort(compare)
    runs.push(run)
    if (turns.isOver(run.length * Math.log2(run.length + 1) * compareWork)) await turns.next()
  }
  while (runs.length > 1) {
    const merged: Value[][] = []
    for (let index = 0; index < runs.length; index += 2) merged.push(await merge(runs[index] ?? [], runs[index + 1] ?? [], compare, turns))
    runs = merged
  }
  return runs[0] ?? []
}

async function merge<Value extends object>(left: Value[], right: Value[], compare: Compare<Value>, turns: Turns): Promise<Value[]> {
  if (right.length === 0) return left
  const merged: Value[] = []
  for (let [one, other] = [0, 0]; one < left.length || other < right.length; ) {
    for (let step = 0; step < atOnce; step++) {
      const [first, second] = [left[one], right[other]]
      if (first !== undefined && (second === undefined || compare(first, second) <= 0)) {
        merged.push(first)
        one++
      } else if (second !== undefined) {
        merged.push(second)
        other++
      } else break
    }
    if (turns.isOver(atOnce * compareWork)) await turns.next()
  }
  return merged
}
