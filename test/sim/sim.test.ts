/**
 * The whole server under faults. Every run is determined by its seed. `npm run sim -- --minutes N` continues with other
 * seeds; a seed that finds a bug is kept in `found.test.ts`. Bounded by steps, not by time.
 */
import { expect, it } from "vitest"
import { describeFailure } from "./failure.ts"
import { makePlan } from "./plan.ts"
import { run } from "./run.ts"

const runs = Number(process.env.SIM_RUNS ?? 500)
const steps = 250

/** Outcomes that clients must have seen at least once, besides the counted ones. */
const tried = [
  ...["create namespaces", "delete namespaces", "create configmaps 403", "create configmaps 404", "let-go configmaps"],
  ...["delete configmaps", "sweep configmaps", "create services", "create services 422", "sweep services", "list services"],
  ...["create events", "delete events", "expired events", "change leases", "beliefs", "change configmaps", "change configmaps 409"],
]

it(`keeps every guarantee in ${runs} runs`, { timeout: 1_800_000 }, async () => {
  const counts: Record<string, number> = {}
  for (let seed = 1; seed <= runs; seed++) {
    const plan = makePlan(seed, steps)
    const result = await run(plan)
    if (result.faults.length > 0) expect.fail(await describeFailure(plan, result.faults))
    for (const [name, count] of Object.entries(result.counts)) counts[name] = (counts[name] ?? 0) + count
  }
  // The random plans have exercised each of them.
  for (const name of [...tried, ...Object.keys(counts)]) expect(counts[name] ?? 0, name).toBeGreaterThan(0)
})

it("the same seed gives the same run", { timeout: 300_000 }, async () => {
  for (const seed of [1, 2, 3]) {
    const [one, other] = [await run(makePlan(seed, steps)), await run(makePlan(seed, steps))]
    expect(one.fingerprint).toBe(other.fingerprint)
  }
})
