/** Five old mistakes, planted one at a time: a simulation that does not find each of them soon proves nothing by finding none. */
import { describe, expect, it } from "vitest"
import { makePlan } from "../plan.ts"
import { run } from "../run.ts"
import { mistakes } from "./mistakes.ts"

const steps = 250
/** Seeds within which each is to be found; most are by the first or second. */
const seeds = 12

/** What each is to be found as: the promise that it breaks. */
const foundAs: Readonly<Record<string, RegExp>> = {
  "lost acknowledgement": /^acknowledged write lost|not linearizable/,
  "duplicated event": /^unique|^atomic/,
  "gap after compaction": /^reliable/,
  "bookmark too early": /^bookmarkable/,
  "page from a newer snapshot": /^the list \(\d+\) at \d+ shows/,
}

describe("a planted mistake is found", () => {
  it.each(Object.entries(mistakes))("%s", { timeout: 300_000 }, async (name, planted) => {
    const found: string[] = []
    for (let seed = 1; seed <= seeds && !found.some((fault) => foundAs[name]?.test(fault)); seed++)
      found.push(...(await run(makePlan(seed, steps), planted)).faults)
    expect(found).toContainEqual(expect.stringMatching(foundAs[name] ?? /^$/))
  })
})
