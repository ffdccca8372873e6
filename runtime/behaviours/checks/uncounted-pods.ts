/** Pods that a job has not counted yet: each once (catalog validation.yaml: Job). */
import { defineCheck } from "../../schema/define.ts"
import type { UncountedTerminatedPods } from "../../../generated/batch/v1/job/types.ts"

/** Called for the status of each job that has such pods. */
export const uncountedPods = defineCheck<UncountedTerminatedPods>((pods, context) => {
  const seen = new Set<string>()
  for (const list of ["succeeded", "failed"] as const)
    for (const [index, uid] of (pods[list] ?? []).entries()) {
      if (uid === "") context.fail("Invalid", uid, "must not be empty", `${list}[${index}]`)
      if (seen.has(uid)) context.fail("Duplicate", uid, "", `${list}[${index}]`)
      seen.add(uid)
    }
})
