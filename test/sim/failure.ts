/** The report of a failed run: how to reproduce it, the broken guarantees, and the shortest plan that breaks them. */
import type { Plan } from "./plan.ts"
import { type Planted, run } from "./run.ts"
import { shrink } from "./shrink.ts"

/** Maximum number of runs for shrinking. */
const shrinkAttempts = 150

/** Called with a plan that has failed. `npm run sim -- --seed S` runs the whole plan again. */
export async function describeFailure(plan: Plan, faults: readonly string[], planted: Planted = {}): Promise<string> {
  const sort = sortOf(faults[0])
  const small = await shrink(
    plan,
    async (candidate) => (await run(candidate, planted)).faults.some((fault) => sortOf(fault) === sort),
    shrinkAttempts,
  )
  const again = await run(small, planted)
  return [
    `seed ${plan.seed} (${plan.driver}, ${plan.length} steps) broke a promise; npm run sim -- --seed ${plan.seed} --steps ${plan.length} shows it again`,
    ...faults.slice(0, 10).map((fault) => `  ${fault}`),
    `the least that breaks it, ${small.steps.length} steps:`,
    ...small.steps.map((step) => `  ${JSON.stringify(step)}`),
    "how that went:",
    ...again.trace.map((line) => `  ${line}`),
    ...again.faults.map((fault) => `  => ${fault}`),
  ].join("\n")
}

/** The kind of a fault, independent of its names and numbers. */
function sortOf(fault: string | undefined): string {
  return (fault ?? "").split(":")[0]?.replace(/\d+/g, "#") ?? ""
}
