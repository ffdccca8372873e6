/** The failure policy of a job beside its other fields (catalog validation.yaml: Job). */
import { defineCheck } from "../../schema/define.ts"
import { containersOf } from "../pods/fields.ts"
import type { JobSpec } from "../../../generated/batch/v1/shared/job-spec/types.ts"

/** Called for the spec of each job and of each cron job's template. */
export const jobSpec = defineCheck<JobSpec>((spec, context) => {
  const lasting = containersOf(spec.template.spec).filter(({ list }) => list !== "ephemeralContainers")
  const names = new Set(lasting.map(({ container }) => container.name))
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const at = `podFailurePolicy.rules[${index}]`
    if (rule.action === "FailIndex" && spec.backoffLimitPerIndex === undefined)
      context.fail("Invalid", rule.action, "requires the backoffLimitPerIndex to be set", `${at}.action`)
    const name = rule.onExitCodes?.containerName
    if (name !== undefined && !names.has(name))
      context.fail(
        "Invalid",
        name,
        "must be one of the container or initContainer names in the pod template",
        `${at}.onExitCodes.containerName`,
      )
  }
})
