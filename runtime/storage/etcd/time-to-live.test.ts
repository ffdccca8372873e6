/**
 * How long values with a time to live exist, on an etcd with a clock of its own while the driver's wall clock is
 * changed.
 */
import { expect, test } from "vitest"
import { createSimClock, type MachineClock, type SimClock } from "../../../test/sim/world/clock.ts"
import { etcdHub } from "../../../test/sim/world/etcd-hub.ts"
import { createRandom } from "../../../test/sim/world/random.ts"
import type { Clock } from "../../base/clock.ts"
import { openMemoryStore } from "../memory/memory-store.ts"
import type { Store } from "../store.ts"

const ttlSeconds = 3600
/** The lease lasts up to this much longer than the value, and etcd looks for expired leases twice a second. */
const extraMs = 60_000 + 500

interface Setup {
  readonly store: Store
  readonly clock: SimClock
  /** The machine of the driver. */
  readonly machine: MachineClock
  /** When each key was deleted, in elapsed time. */
  readonly goneMs: ReadonlyMap<string, number>
}

async function setUp(seed: number, driverClock = (clock: Clock): Clock => clock): Promise<Setup> {
  const clock = createSimClock()
  const random = createRandom(seed)
  const etcdClock = clock.machine().process().clock
  const kept = await openMemoryStore({ clock: etcdClock })
  const goneMs = new Map<string, number>()
  await kept.watch({
    prefix: "",
    afterRevision: await kept.revision(),
    onEvents: (events) => {
      for (const { key, type } of events) if (type === "delete") goneMs.set(key, clock.elapsedMs())
    },
    onEnd: () => undefined,
  })
  const hub = await etcdHub(kept, (options) => kept.compact(options), { clock: etcdClock, random })
  const control = { stalled: () => undefined, alive: () => true, random, dieAfterCommit: false, onDeath: () => undefined }
  const machine = clock.machine()
  const { store } = await hub.connect(control, driverClock(machine.process().clock))
  return { store, clock, machine, goneMs }
}

async function putEvent(store: Store, key: string): Promise<void> {
  const { ok } = await store.commit({ checks: [], writes: [{ type: "put", key, value: Buffer.from("{}"), ttlSeconds }] })
  expect(ok).toBe(true)
}

test.each([1, 2, 3, 4])(
  "a value lives for its whole time to live and not much longer, whatever the wall clock shows (seed %i)",
  async (seed) => {
    const { clock, goneMs, machine, store } = await setUp(seed)
    const random = createRandom(seed, "steps")
    const putMs = new Map<string, number>()
    for (let index = 0; index < 150; index++) {
      const key = `/registry/events/a/${index}`
      putMs.set(key, clock.elapsedMs())
      await putEvent(store, key)
      if (random.chance(0.2)) machine.step(random.pick([-3_600_000, -90_000, -1000, 1000, 90_000, 3_600_000]))
      clock.advance(random.pick([1, 1000, 30_000, 60_000, 300_000]))
    }
    clock.advance(ttlSeconds * 1000 + extraMs)
    for (const [key, writtenMs] of putMs) {
      const livedMs = (goneMs.get(key) ?? Number.POSITIVE_INFINITY) - writtenMs
      expect(livedMs, key).toBeGreaterThanOrEqual(ttlSeconds * 1000)
      expect(livedMs, key).toBeLessThanOrEqual(ttlSeconds * 1000 + extraMs)
    }
    await store.close()
  },
)

test("a value whose lease expires before the write arrives is written with another", async () => {
  // For a driver whose clocks do not advance, every lease stays young.
  const { clock, goneMs, store } = await setUp(1, (inner) => ({ ...inner, nowMs: () => 0, elapsedMs: () => 0 }))
  await putEvent(store, "/registry/events/a/one")
  clock.advance(ttlSeconds * 1000 + extraMs)
  expect([...goneMs.keys()]).toEqual(["/registry/events/a/one"])
  await Promise.all(["two", "three"].map((name) => putEvent(store, `/registry/events/a/${name}`)))
  clock.advance(ttlSeconds * 1000)
  expect(goneMs.size).toBe(1)
  clock.advance(extraMs)
  expect([...goneMs.keys()].slice(1)).toEqual(["/registry/events/a/three", "/registry/events/a/two"])
  await store.close()
})
