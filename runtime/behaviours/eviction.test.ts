import { describe, expect, test } from "vitest"
import { podShape } from "../../generated/core/v1/pod/shape.ts"
import type { Pod } from "../../generated/core/v1/pod/types.ts"
import { podDisruptionBudgetShape } from "../../generated/policy/v1/pod-disruption-budget/shape.ts"
import type { PodDisruptionBudget } from "../../generated/policy/v1/pod-disruption-budget/types.ts"
import { evictionShape } from "../../generated/policy/v1/eviction/shape.ts"
import type { Eviction } from "../../generated/policy/v1/eviction/types.ts"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { decoded } from "../../test/support/decoded.ts"
import { ApiError, notFound } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import { atOnce } from "../base/turns.ts"
import { systemRandom } from "../base/random.ts"
import type { BehaviourDeps, ObjectAccess } from "../schema/behaviour.ts"
import { typed } from "../schema/typed.ts"
import { evictionTries } from "../base/limits.ts"
import { vendorProfile } from "../base/vendor.ts"
import { eviction } from "./eviction.ts"

interface Cluster {
  readonly pod: ApiObject
  readonly budget?: object
  /** Called with the number of reads of the pod, right after each; returns the pod as other clients change it. */
  readonly others?: (reads: number) => ApiObject | undefined
}

/** Objects that behave as the registry's: each write changes the version, and preconditions are compared with it. */
function clusterOf({ pod, budget, others = () => undefined }: Cluster) {
  let reads = 0
  const state = { pod: undefined as Pod | undefined, budget: undefined as PodDisruptionBudget | undefined, deletions: 0 }
  const put = (given: ApiObject): Pod => {
    const resourceVersion = String(Number(state.pod?.metadata.resourceVersion ?? 0) + 1)
    const metadata = { name: "a", namespace: "n", ...given.metadata, uid: "u", resourceVersion }
    const pod = decoded<Pod>(podShape, typed({ ...given, metadata }))
    state.pod = pod
    return pod
  }
  const newest = (): Pod => {
    if (state.pod === undefined) throw notFound({ group: "", resource: "pods", name: "a" })
    return state.pod
  }
  put(pod)
  if (budget !== undefined) state.budget = decoded<PodDisruptionBudget>(podDisruptionBudgetShape, { metadata: { name: "b" }, ...budget })
  const objects: ObjectAccess = {
    async get() {
      const read = newest()
      const changed = others(++reads)
      if (changed !== undefined) put({ ...read, ...changed })
      return read
    },
    select: async (_place, reading, test) =>
      [state.budget ?? []]
        .flat()
        .filter((one) => test(atOnce(reading.read(typed(one)))))
        .map((one) => typed(one)),
    async update(place, change) {
      if (place.resource === "pods") return put(change(newest()))
      const budget = change(typed(state.budget ?? {}))
      state.budget = typed(budget)
      return budget
    },
    async delete(_place, { resourceVersion, uid }) {
      state.deletions++
      const { metadata } = newest()
      if ((resourceVersion ?? metadata.resourceVersion) !== metadata.resourceVersion || (uid ?? metadata.uid) !== metadata.uid)
        throw new ApiError(409, "Conflict", "the pod was changed")
      state.pod = undefined
    },
    readDeletion: (options) => ({ dryRun: false, ...options }),
  }
  return { objects, state, reads: () => reads }
}

async function evict(objects: ObjectAccess): Promise<void> {
  const body = decoded<Eviction>(evictionShape, { metadata: { name: "a" } })
  const deps: Partial<BehaviourDeps> = { clock: createManualClock(), random: systemRandom, vendor: vendorProfile("orch") }
  await eviction(deps as BehaviourDeps).act?.({ body, namespace: "n", name: "a", dryRun: false, objects }) // It uses the clock only.
}

const labels = { app: "web" }
const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] }
const running = { phase: "Running" }
const pending = { metadata: { labels }, status: { phase: "Pending" } }
const exhausted = {
  spec: { selector: { matchLabels: labels }, minAvailable: 1 },
  status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
}
const violates = { code: 429, details: { causes: [{ reason: "DisruptionBudget" }] } }

/**
 * Evicts a pending pod that others change `conflicts` times before it can be deleted. Returns the number of attempts.
 */
async function evictAfter(conflicts: number): Promise<number> {
  const { objects, reads } = clusterOf({
    pod: pending,
    others: (read) => (read <= conflicts ? { metadata: { labels: { read: String(read) } } } : undefined),
  })
  await evict(objects)
  return reads()
}

describe("a pod without a budget that others keep changing", () => {
  test("is evicted as soon as they stop", async () => expect(await evictAfter(5)).toBe(6))
  test("is given up after the maximum number of attempts", async () => {
    expect(await evictAfter(evictionTries - 1)).toBe(evictionTries)
    await expect(evictAfter(evictionTries)).rejects.toMatchObject({ code: 409 })
  })
})

describe("a pod that changes after it was read", () => {
  test.each([
    ["and starts", pending, { status: ready }],
    ["and becomes ready, where budgets do not count those that are not", { ...pending, status: running }, { status: ready }],
  ])("%s is left to its budget", async (_what, pod, changed) => {
    const { objects, state } = clusterOf({ pod, budget: exhausted, others: (read) => (read === 1 ? changed : undefined) })
    await expect(evict(objects)).rejects.toMatchObject(violates)
    expect([state.pod?.status.phase, state.budget?.status.disruptionsAllowed]).toEqual(["Running", 0])
  })

  test.each([
    ["has ended is deleted whatever changes", { ...pending, status: { phase: "Failed" } }],
    ["goes on pending is deleted", pending],
  ])("and %s", async (_what, pod) => {
    const changed = { metadata: { labels: { ...labels, other: "1" } } }
    const { objects, state } = clusterOf({ pod, budget: exhausted, others: (read) => (read === 1 ? changed : undefined) })
    await evict(objects)
    expect([state.pod, state.budget?.status.disruptionsAllowed]).toEqual([undefined, 0])
  })
})
