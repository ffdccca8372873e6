/** The policies of a job beside its other fields (catalog validation.yaml: Job). */
import { cut } from "../../base/quote.ts"
import { defineCheck } from "../../schema/define.ts"
import { domainPrefixedPathFaults } from "../../schema/prefixed-names.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { containersOf } from "../pods/fields.ts"
import type { JobSpec } from "../../../generated/batch/v1/shared/job-spec/types.ts"

/** Called for the spec of each job and of each cron job's template. */
export const jobSpec = defineCheck<JobSpec>((spec, context) => {
  if (spec.managedBy !== undefined) checkManager(spec.managedBy, context)
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
  if (spec.completionMode === "Indexed" && spec.completions !== undefined) checkSuccess(spec, spec.completions, context)
})

/** A path below a domain; failures show the part at fault. */
function checkManager(managedBy: string, context: CheckContext<JobSpec>): void {
  if (managedBy === "") context.fail("Required", undefined, "", "managedBy")
  else for (const { type, value, detail } of domainPrefixedPathFaults(managedBy)) context.fail(type, value, detail, "managedBy")
}

function checkSuccess(spec: JobSpec, completions: number, context: CheckContext<JobSpec>): void {
  for (const [index, { succeededIndexes, succeededCount }] of (spec.successPolicy?.rules ?? []).entries()) {
    const at = `successPolicy.rules[${index}]`
    const counted = succeededIndexes === undefined ? undefined : countIndexes(succeededIndexes, completions)
    if (typeof counted === "string")
      context.fail("Invalid", succeededIndexes, `error parsing succeededIndexes: ${counted}`, `${at}.succeededIndexes`)
    if (succeededCount === undefined) continue
    const fail = (most: number, of: string): void =>
      context.fail("Invalid", succeededCount, `must be less than or equal to ${most} (the number of ${of})`, `${at}.succeededCount`)
    if (succeededCount > completions) fail(completions, "specified completions")
    const most = typeof counted === "string" ? 0 : counted
    if (most !== undefined && succeededCount > most) fail(most, "indexes in the specified succeededIndexes field")
  }
}

/** How many indexes `1,3-5` names, or what is wrong with it. */
function countIndexes(text: string, completions: number): number | string {
  let [last, total] = [-1, 0]
  if (text === "") return 0
  for (const part of text.split(",")) {
    const ends = part.split("-")
    if (ends.length > 2)
      return `the fragment ${quoted(part)} violates the requirement that an index interval can have at most two parts separated by '-'`
    const [from = 0, to = from] = ends.map((end) => (/^[+]?\d{1,18}$/.test(end) ? Number(end) : Number.NaN))
    for (const [place, index] of [from, to].entries()) {
      const end = quoted(ends[place] ?? ends[0] ?? "")
      if (Number.isNaN(index)) return `cannot convert string to integer for index: ${end}`
      if (index >= completions) return `too large index: ${end}`
    }
    if (ends.length > 1 && from >= to) return `non-increasing order, previous: ${from}, current: ${to}`
    if (last >= from) return `non-increasing order, previous: ${last}, current: ${from}`
    total += to - from + 1
    last = to
  }
  return total
}

const quoted = (text: string): string => JSON.stringify(cut(text))
