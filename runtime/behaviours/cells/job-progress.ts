/** How far a job has come, for its Table columns (catalog tables.yaml: Job). */
import { defineCell } from "../../schema/define.ts"
import { humanDuration } from "../../schema/human-duration.ts"
import type { Job } from "../../../generated/batch/v1/job/types.ts"

/** Called for each row. */
export const jobProgress = defineCell<Job>((job, { nowMs }) => {
  const { completions, parallelism } = job.spec
  const { completionTime, startTime, succeeded = 0 } = job.status
  const wanted = completions ?? ((parallelism ?? 0) > 1 ? `1 of ${parallelism}` : 1)
  const endMs = completionTime === undefined ? nowMs : Date.parse(completionTime)
  return {
    status: statusOf(job),
    completions: `${succeeded}/${wanted}`,
    duration: startTime === undefined ? "" : humanDuration(endMs - Date.parse(startTime)),
  }
})

function statusOf({ metadata, status }: Job): string {
  const has = (type: string) => status.conditions?.some((condition) => condition.type === type && condition.status === "True") === true
  for (const type of ["Complete", "Failed"]) if (has(type)) return type
  if (metadata.deletionTimestamp !== undefined) return "Terminating"
  for (const type of ["Suspended", "FailureTarget"]) if (has(type)) return type
  return "Running"
}
