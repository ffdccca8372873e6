/** Deletes finished Jobs and their dependents, `spec.ttlSecondsAfterFinished` after their end. */
import type { Job } from "../../generated/batch/v1/job/types.ts"
import { instantMs } from "./instant-ms.ts"
import type { ControllerDeps } from "./controller.ts"
import { jobCleaner } from "./identities.ts"
import { keyOf, type KeyedController, type Keys, placeOf, startKeyedController } from "./keyed-controller.ts"
import { orGone, orUndefined } from "./refusals.ts"

/** Called once at start. */
export function startJobCleaner(deps: ControllerDeps): KeyedController {
  return startKeyedController(deps, {
    queue: "ttl_jobs_to_delete",
    fault: "a Job that has ended could not be deleted; tried again later",
    workers: 5,
    watched: [
      {
        kind: { group: "batch", version: "v1", resource: "jobs" },
        changed(job, keys, event) {
          if (event?.type !== "DELETED") keys.add(keyOf(job))
        },
      },
    ],
    work: (key, keys) => clean(deps, key, keys),
  })
}

async function clean({ api, clock, registry }: ControllerDeps, key: string, keys: Keys): Promise<void> {
  const { namespace, name } = placeOf(key)
  const { jobs } = api(jobCleaner(registry)).batch.v1
  const job = await orUndefined(jobs.get(namespace, name))
  const dueMs = job === undefined ? undefined : dueOf(job)
  if (job === undefined || dueMs === undefined) return
  const { uid, resourceVersion, deletionTimestamp } = job.metadata
  if (deletionTimestamp !== undefined) return
  const leftMs = dueMs - clock.nowMs()
  if (leftMs > 0) return keys.addAfter(key, leftMs)
  const preconditions = { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) }
  await orGone(jobs.delete(namespace, name, { propagationPolicy: "Foreground", preconditions }))
}

/** When to delete the Job; undefined while it runs, and without a time to live. */
function dueOf({ spec, status }: Job): number | undefined {
  const ended = (status.conditions ?? []).find(({ type, status: is }) => is === "True" && (type === "Complete" || type === "Failed"))
  const atMs = instantMs(ended?.lastTransitionTime)
  return spec.ttlSecondsAfterFinished === undefined || atMs === undefined ? undefined : atMs + spec.ttlSecondsAfterFinished * 1000
}
