/** Sorting in pieces: what `Array.prototype.sort` does with 200,000 texts takes 0.1 s. */
import { turnValues } from "../limits.ts"
import type { Stages } from "../turns.ts"

/** Sorts texts in place, as `sort` does, `turnValues` of them a turn. */
export function* sorting(texts: string[]): Stages<void> {
  let runs: string[][] = []
  for (let at = 0; at < texts.length; at += turnValues) {
    runs.push(texts.slice(at, at + turnValues).sort())
    yield
  }
  while (runs.length > 1) {
    const merged: string[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merging(runs[at] ?? [], runs[at + 1] ?? []))
    runs = merged
  }
  for (const [index, text] of (runs[0] ?? []).entries()) texts[index] = text
}

function* merging(left: readonly string[], right: readonly string[]): Stages<string[]> {
  const merged: string[] = []
  let [atLeft, atRight] = [0, 0]
  while (atLeft < left.length || atRight < right.length) {
    const [first, second] = [left[atLeft], right[atRight]]
    if (first !== undefined && (second === undefined || first <= second)) {
      merged.push(first)
      atLeft++
    } else if (second !== undefined) {
      merged.push(second)
      atRight++
    }
    if (merged.length % turnValues === 0) yield
  }
  return merged
}

/** The one that sorting would put first; "" of none. */
export function least(texts: readonly string[]): string {
  let [found = ""] = texts
  for (const text of texts) if (text < found) found = text
  return found
}
