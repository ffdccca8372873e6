import { afterEach, beforeEach, expect, test } from "vitest"
import { createManualClock, type ManualClock } from "../../test/contract/manual-clock.ts"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import type { JsonObject } from "../base/json.ts"
import { isObject } from "../base/json.ts"
import type { Kind } from "../schema/kind.ts"
import { parseObject } from "../registry/object-codec.ts"
import { openMemoryStore } from "../storage/memory/memory-store.ts"
import { type Store, StoreError } from "../storage/store.ts"
import { leaderLeaseName, leaderRetryMs, startLeaderElection } from "./leader-election.ts"
import type { Controller } from "./controller.ts"

let clock: ManualClock
let store: Store
/** Identities of the servers whose controllers run. */
let leading: Set<string>
const opened: OpenRegistry[] = []
const started: Controller[] = []

beforeEach(async () => {
  clock = createManualClock()
  store = await openMemoryStore({ clock })
  leading = new Set()
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((loop) => loop.stop()))
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

/** Runs enough turns of the event loop for all work that does not wait for the clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
}

async function candidate(identity: string, its: Store = store): Promise<Controller> {
  const one = await openRegistry({ store: its, clock })
  opened.push(one)
  // A kind's modules are loaded on first use, which takes an unknown number of turns.
  await one.registry.handle(leases(one))
  const start = (): Controller => {
    leading.add(identity)
    return {
      async stop() {
        leading.delete(identity)
      },
    }
  }
  const loop = startLeaderElection(one, { identity, start })
  started.push(loop)
  await settle()
  return loop
}

function leases(one: OpenRegistry): Kind {
  const kind = one.registry.deps.kinds.find("coordination.orch.io", "v1", "leases")
  if (kind === undefined) throw new Error("leases are not served")
  return kind
}

async function looks(count: number): Promise<void> {
  for (let look = 0; look < count; look++) {
    clock.advance(leaderRetryMs)
    await settle()
  }
}

async function lease(): Promise<JsonObject> {
  const stored = await store.get({ key: `/registry/leases/orch-system/${leaderLeaseName}` })
  const one = opened[0]
  if (stored === undefined || one === undefined) throw new Error("there is no lease")
  const { codec } = await one.registry.handle(leases(one))
  const { spec } = parseObject(Buffer.from(codec.toJson(stored)))
  return isObject(spec) ? spec : {}
}

test("the first leads, and the second does not while the first renews", async () => {
  await candidate("a")
  await candidate("b")
  await looks(30)
  expect([...leading]).toEqual(["a"])
  expect(await lease()).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 })
})

test("the second leads at its next check after the first has stopped", async () => {
  const first = await candidate("a")
  await candidate("b")
  await first.stop()
  expect([...leading]).toEqual([])
  expect(await lease()).toMatchObject({ holderIdentity: "" })
  await looks(1)
  expect([...leading]).toEqual(["b"])
  expect(await lease()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 })
})

test("the second waits out the lease of a silent first, whatever the clock says", async () => {
  const { failing, broken } = withFaults(store)
  await candidate("a", failing)
  await candidate("b")
  broken.yes = true
  clock.advance(3_600_000)
  await settle()
  expect(leading.has("b")).toBe(false)
  await looks(6)
  expect(leading.has("b")).toBe(false)
  await looks(3)
  expect([...leading]).toEqual(["b"])
})

test("the second never leads while the first may hold the lease", async () => {
  const { failing, broken } = withFaults(store)
  await candidate("a", failing)
  await looks(1)
  // The second server's first check comes right after the last renewal.
  await candidate("b")
  const renewedMs = clock.nowMs()
  broken.yes = true
  while (!leading.has("b")) await looks(1)
  expect(clock.nowMs() - renewedMs).toBeGreaterThanOrEqual(15_000)
})

test("a leader that cannot renew stops before another one starts, and leads again when it can", async () => {
  const { failing, broken } = withFaults(store)
  await candidate("a", failing)
  broken.yes = true
  await looks(4)
  expect([...leading]).toEqual(["a"])
  await looks(1)
  expect([...leading]).toEqual([])
  expect(opened[0]?.logged).toContain("the lease of the leader among servers could not be looked at; tried again later")
  broken.yes = false
  await looks(1)
  expect([...leading]).toEqual(["a"])
})

test("a leader that is still stopping when its next term is over does not start again", async () => {
  const { failing, broken } = withFaults(store)
  let stopped = (): void => {}
  let terms = 0
  const one = await openRegistry({ store: failing, clock })
  opened.push(one)
  await one.registry.handle(leases(one))
  const start = (): Controller => {
    terms++
    return { stop: () => new Promise((resolve) => (stopped = resolve)) }
  }
  started.push(startLeaderElection(one, { identity: "a", start }))
  await settle()
  broken.yes = true
  await looks(5)
  broken.yes = false
  await looks(1)
  broken.yes = true
  await looks(6)
  stopped()
  await settle()
  expect(terms).toBe(1)
})

test("of two that start together, one leads", async () => {
  await Promise.all([candidate("a"), candidate("b")])
  await looks(2)
  expect([...leading]).toHaveLength(1)
  expect((await lease()).holderIdentity).toBe([...leading][0])
})

/** A store whose writes fail while `broken.yes`. */
function withFaults(whole: Store): { failing: Store; broken: { yes: boolean } } {
  const broken = { yes: false }
  const failing = new Proxy(whole, {
    get(target, name) {
      if (name === "commit" && broken.yes) return () => Promise.reject(new StoreError("unavailable", "away"))
      if (name === "close") return async () => {}
      const value: unknown = Reflect.get(target, name)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
  return { failing, broken }
}
