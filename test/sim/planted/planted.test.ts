/** Old mistakes, planted one at a time: a simulation that does not find each of them soon proves nothing by finding none. */
import { describe, expect, it } from "vitest"
import { makePlan } from "../plan.ts"
import { type Planted, run } from "../run.ts"
import { lifeMistakes } from "./life-mistakes.ts"
import { mistakes } from "./mistakes.ts"

const steps = 250
/** Seeds within which each is to be found; most are by the first or second that is about them. */
const seeds = 24

/** What each is to be found as: the promise that it breaks. */
const foundAs: Readonly<Record<string, RegExp>> = {
  "lost acknowledgement": /^acknowledged write lost|not linearizable/,
  "duplicated event": /^unique|^atomic/,
  "gap after compaction": /^reliable/,
  "bookmark too early": /^bookmarkable/,
  "page from a newer snapshot": /^the list \(\d+\) at \d+ shows/,
}

const planted: readonly (readonly [string, Planted, RegExp])[] = [
  ...Object.entries(mistakes).map(([name, mistake]) => [name, mistake, foundAs[name] ?? /^$/] as const),
  ...Object.entries(lifeMistakes).map(([name, mistake]) => [name, mistake.planted, mistake.foundAs] as const),
]

describe("a planted mistake is found", () => {
  it.each(planted)("%s", { timeout: 300_000 }, async (_name, mistake, as) => {
    const found: string[] = []
    for (let seed = 1; seed <= seeds && !found.some((fault) => as.test(fault)); seed++)
      found.push(...(await run(makePlan(seed, steps), mistake)).faults)
    expect(found).toContainEqual(expect.stringMatching(as))
  })
})
