import { afterEach, beforeEach, expect, test } from "vitest"
import { beforeCommit, failCommits, retried } from "../../test/support/controller-faults.ts"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import type { ApiObject } from "../base/json.ts"
import { timeText } from "../base/time.ts"
import { startJobCleaner } from "./job-cleaner.ts"
import type { KeyedController } from "./keyed-controller.ts"

let one: OpenRegistry
let controller: KeyedController
beforeEach(async () => {
  one = await openRegistry()
  controller = startJobCleaner(one)
})
afterEach(async () => {
  await controller.stop()
  await one.close()
})

async function make(name: string, ttlSecondsAfterFinished?: number): Promise<void> {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }] } }
  await one.create("jobs", {
    metadata: { name, namespace: "a" },
    spec: { template, ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }) },
  })
}

async function finish(name: string, type: "Complete" | "Failed" = "Complete"): Promise<void> {
  const now = timeText(one.clock.nowMs())
  await one.update(
    "jobs",
    `a/${name}`,
    (old) => ({
      ...old,
      status: {
        startTime: now,
        ...(type === "Complete" && { completionTime: now, succeeded: 1 }),
        conditions: [{ type, status: "True", lastTransitionTime: now, lastProbeTime: now }],
      },
    }),
    { subresource: "status" },
  )
  await controller.idle()
}

/** Jobs that are not being deleted. */
async function left(): Promise<string[]> {
  const jobs = await Promise.all((await one.names("jobs")).map((path) => one.get("jobs", path)))
  return jobs.filter((job): job is ApiObject => job?.metadata?.deletionTimestamp === undefined).map((job) => job.metadata?.name ?? "")
}

async function pass(seconds: number): Promise<void> {
  one.clock.advance(seconds * 1000)
  await controller.idle()
}

test("a Job goes its time to live after it has ended, whichever way", async () => {
  await make("ended", 60)
  await make("failed", 60)
  await make("running", 60)
  await make("kept")
  await finish("ended")
  await finish("failed", "Failed")
  await finish("kept")
  await pass(59)
  expect(await left()).toEqual(["ended", "failed", "kept", "running"])
  await pass(1)
  expect(await left()).toEqual(["kept", "running"])
})

test("what it owns goes with it", async () => {
  await make("ended", 0)
  await finish("ended")
  expect((await one.get("jobs", "a/ended"))?.metadata?.finalizers).toEqual(["foregroundDeletion"])
})

test("a time to live that changes counts from the end, too", async () => {
  await make("ended", 3600)
  await finish("ended")
  await pass(100)
  await one.update("jobs", "a/ended", (old) => ({ ...old, spec: { ...(old["spec"] as object), ttlSecondsAfterFinished: 90 } }))
  await controller.idle()
  expect(await left()).toEqual([])
})

test("what became due while no controller ran is caught up with, and a long time is no overflow", async () => {
  await make("due", 60)
  await make("far", 2_000_000_000)
  await finish("due")
  await finish("far")
  await controller.stop()
  one.clock.advance(3600_000)
  controller = startJobCleaner(one)
  await controller.idle()
  expect(await left()).toEqual(["far"])
  expect(one.clock.nextDueMs()).toBeLessThanOrEqual(one.clock.nowMs() + 24 * 3600_000)
})

test("another Job of the same name is not deleted in its place", async () => {
  await make("ended", 60)
  await finish("ended")
  const done = beforeCommit(one, "/jobs/a/ended", async () => {
    await one.remove("jobs", "a/ended", { propagationPolicy: "Background" })
    await make("ended", 60)
  })
  await pass(60)
  await retried(one, controller)
  expect([done(), await left()]).toEqual([true, ["ended"]])
})

test("a store that fails is tried again", async () => {
  await make("ended", 60)
  await finish("ended")
  const failed = failCommits(one, "/jobs/a/ended", 2)
  await pass(60)
  expect(await left()).toEqual(["ended"])
  await retried(one, controller)
  expect([failed(), await left()]).toEqual([2, []])
})
