/** Shrinks a failing plan: removes steps, in large pieces first, as long as the rest still fails in the same way. */
import type { Plan } from "./plan.ts"

/**
 * `fails` runs a plan and resolves with whether it still fails. Called after a failure only; tries at most `attempts`
 * plans, since each is a complete run.
 */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>, attempts: number): Promise<Plan> {
  let smallest = plan
  let left = attempts
  for (let size = Math.ceil(plan.steps.length / 2); size >= 1 && left > 0; size = Math.floor(size / 2)) {
    for (let start = 0; start < smallest.steps.length && left > 0; ) {
      const candidate = { ...smallest, steps: [...smallest.steps.slice(0, start), ...smallest.steps.slice(start + size)] }
      left--
      if (await fails(candidate)) smallest = candidate
      else start += size
    }
  }
  return smallest
}
