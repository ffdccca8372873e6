import { afterEach, beforeEach, expect, test } from "vitest"
import { createManualClock, type ManualClock } from "../../test/contract/manual-clock.ts"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import type { JsonObject } from "../kit/json.ts"
import { isObject } from "../kit/json.ts"
import type { Kind } from "../kit/kind.ts"
import { parseObject } from "../registry/object-codec.ts"
import { openMemoryStore } from "../storage/memory/memory-store.ts"
import { type Store, StoreError } from "../storage/store.ts"
import { leaderLeaseName, leaderRetryMs, startAsLeader } from "./leader.ts"
import type { Loop } from "./loop.ts"

let clock: ManualClock
let store: Store
/** Identities of those whose loops run. */
let leading: Set<string>
const opened: OpenRegistry[] = []
const started: Loop[] = []

beforeEach(async () => {
  clock = createManualClock()
  store = await openMemoryStore({ clock })
  leading = new Set()
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((loop) => loop.stop()))
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

/** Enough turns of the loop for everything that does not wait for the clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
}

async function candidate(identity: string, its: Store = store): Promise<Loop> {
  const one = await openRegistry({ store: its, clock })
  opened.push(one)
  // What a kind needs is loaded when it is first asked for, which takes as long as it takes.
  await one.registry.handle(leases(one))
  const start = (): Loop => {
    leading.add(identity)
    return {
      async stop() {
        leading.delete(identity)
      },
    }
  }
  const loop = startAsLeader(one, { identity, start })
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

test("the second leads with its next look after the first has stopped", async () => {
  const first = await candidate("a")
  await candidate("b")
  await first.stop()
  expect([...leading]).toEqual([])
  expect(await lease()).toMatchObject({ holderIdentity: "" })
  await looks(1)
  expect([...leading]).toEqual(["b"])
  expect(await lease()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 })
})

test("the second waits for a first that says nothing any more as long as it might be there, whatever the clock says", async () => {
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

test("the second never leads within the time for which the first holds the lease", async () => {
  const { failing, broken } = withFaults(store)
  await candidate("a", failing)
  await looks(1)
  // It looks right behind the renewal that is the last.
  await candidate("b")
  const renewedMs = clock.nowMs()
  broken.yes = true
  while (!leading.has("b")) await looks(1)
  expect(clock.nowMs() - renewedMs).toBeGreaterThanOrEqual(15_000)
})

test("a leader that cannot renew stops before another one begins, and leads again when it can", async () => {
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

test("who is still stopping when the time of its next term is over does not begin it", async () => {
  const { failing, broken } = withFaults(store)
  let stopped = (): void => {}
  let terms = 0
  const one = await openRegistry({ store: failing, clock })
  opened.push(one)
  await one.registry.handle(leases(one))
  const start = (): Loop => {
    terms++
    return { stop: () => new Promise((resolve) => (stopped = resolve)) }
  }
  started.push(startAsLeader(one, { identity: "a", start }))
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

test("of two that begin at once, one leads", async () => {
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
