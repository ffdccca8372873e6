import { describe, expect, test } from "vitest"
import { podShape } from "../../generated/core/v1/pod/shape.ts"
import type { Pod } from "../../generated/core/v1/pod/types.ts"
import { evictionShape } from "../../generated/policy/v1/eviction/shape.ts"
import type { Eviction } from "../../generated/policy/v1/eviction/types.ts"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { decoded } from "../../test/support/decoded.ts"
import { ApiError } from "../base/errors.ts"
import { systemRandom } from "../base/random.ts"
import type { BehaviourDeps, ObjectAccess } from "../schema/behaviour.ts"
import { evictionTries } from "../base/limits.ts"
import { vendorProfile } from "../base/vendor.ts"
import { eviction } from "./eviction.ts"

const pending = decoded<Pod>(podShape, {
  metadata: { name: "a", namespace: "n", resourceVersion: "1" },
  status: { phase: "Pending" },
})

/**
 * Evicts a pending pod that others change `conflicts` times before it can be deleted. Returns the number of attempts.
 */
async function evictAfter(conflicts: number): Promise<number> {
  let tries = 0
  const objects: ObjectAccess = {
    get: async () => pending,
    select: async () => [],
    update: async (_place, change) => change(pending),
    async delete() {
      if (++tries <= conflicts) throw new ApiError(409, "Conflict", "the pod was changed")
    },
    readDeletion: () => ({ dryRun: false }),
  }
  const body = decoded<Eviction>(evictionShape, { metadata: { name: "a" } })
  const deps: Partial<BehaviourDeps> = { clock: createManualClock(), random: systemRandom, vendor: vendorProfile("orch") }
  await eviction(deps as BehaviourDeps).act?.({ body, namespace: "n", name: "a", dryRun: false, objects }) // It uses the clock only.
  return tries
}

describe("a pod without a budget that others keep changing", () => {
  test("is evicted as soon as they stop", async () => expect(await evictAfter(5)).toBe(6))
  test("is given up after the maximum number of attempts", async () => {
    expect(await evictAfter(evictionTries - 1)).toBe(evictionTries)
    await expect(evictAfter(evictionTries)).rejects.toMatchObject({ code: 409 })
  })
})
