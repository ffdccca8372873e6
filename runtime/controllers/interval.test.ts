import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { openMemoryStore } from "../storage/memory/memory-store.ts"
import { startCompaction } from "./compaction.ts"
import { runEvery } from "./interval.ts"

/** Lets all pending promises settle. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

test("runs at its interval, whether the task fails or not, until it is stopped", async () => {
  const clock = createManualClock()
  let runs = 0
  const errors: unknown[] = []
  const loop = runEvery({
    clock,
    intervalMs: 1000,
    async task() {
      runs++
      if (runs === 2) throw new Error("once")
    },
    onError: (error) => errors.push(error),
  })
  for (let index = 0; index < 3; index++) {
    clock.advance(1000)
    await settle()
  }
  await loop.stop()
  clock.advance(10_000)
  await settle()
  expect([runs, errors.length]).toEqual([3, 1])
})

test("runs at once on request", async () => {
  let runs = 0
  const loop = runEvery({ clock: createManualClock(), intervalMs: 1000, atOnce: true, task: async () => void runs++, onError: () => {} })
  await loop.stop()
  expect(runs).toBe(1)
})

async function written(times: number) {
  const clock = createManualClock()
  const store = await openMemoryStore({ clock })
  const write = async () => {
    for (let index = 0; index < times; index++)
      await store.commit({ checks: [], writes: [{ type: "put", key: "/registry/a/b", value: Buffer.from(String(index)) }] })
  }
  return { clock, store, write, log: { warn: () => {} } }
}

test("compaction drops what existed one interval ago, not what was written since", async () => {
  const { clock, store, write, log } = await written(3)
  await write()
  const seen = await store.revision()
  const loop = startCompaction({ store, clock, log, intervalMs: 300_000 })
  await settle()
  await write()
  expect((await store.status()).compactedRevision).toBe(0)
  clock.advance(300_000)
  await settle()
  expect((await store.status()).compactedRevision).toBe(seen)
  await loop.stop()
})

test("compaction of an unchanged store sends no request, and 0 turns it off", async () => {
  const { clock, store, log } = await written(0)
  let asked = 0
  const counting = Object.assign(Object.create(store), { compact: async () => void asked++ })
  const controllers = [
    startCompaction({ store: counting, clock, log, intervalMs: 1000 }),
    startCompaction({ store: counting, clock, log, intervalMs: 0 }),
  ]
  for (let index = 0; index < 3; index++) {
    clock.advance(1000)
    await settle()
  }
  expect(asked).toBe(0)
  for (const loop of controllers) await loop.stop()
})
