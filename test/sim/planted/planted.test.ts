/**
 * Known mistakes, planted one at a time: a simulation that does not find each of them soon proves nothing when it finds
 * none.
 */
import { describe, expect, it } from "vitest"
import { makePlan, type PlanOptions } from "../plan.ts"
import { type Planted, run } from "../run.ts"
import { lifeMistakes } from "./life-mistakes.ts"
import { mistakes } from "./mistakes.ts"

const steps = 250
/** Number of seeds within which each must be found; most are found by the first or second relevant one. */
const seeds = 12

/** The check that must find each mistake. */
const foundAs: Readonly<Record<string, RegExp>> = {
  "lost acknowledgement": /^acknowledged write lost|not linearizable/,
  "duplicated event": /^unique|^atomic/,
  "gap after compaction": /^reliable/,
  "bookmark too early": /^bookmarkable/,
  "page from a newer snapshot": /^the list \(\d+\) at \d+ shows/,
}

interface Case {
  readonly planted: Planted
  readonly foundAs: RegExp
  /** Options of plans that can reveal it. */
  readonly options: PlanOptions
}

const cases: readonly (readonly [string, Case])[] = [
  ...Object.entries(mistakes).map(
    ([name, planted]) => [name, { planted, foundAs: foundAs[name] ?? /^$/, options: { themes: [] } }] as const,
  ),
  ...Object.entries(lifeMistakes).map(
    ([name, { about, driver = "shared", ...mistake }]) => [name, { ...mistake, options: { driver, themes: [about] } }] as const,
  ),
]

describe("a planted mistake is found", () => {
  it.each(cases)("%s", { timeout: 300_000 }, async (_name, { planted, foundAs: as, options }) => {
    const found: string[] = []
    for (let seed = 1; seed <= seeds && !found.some((fault) => as.test(fault)); seed++)
      found.push(...(await run(makePlan(seed, steps, options), planted)).faults)
    expect(found).toContainEqual(expect.stringMatching(as))
  })
})
