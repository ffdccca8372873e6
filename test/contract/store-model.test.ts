/**
 * The embedded store gives the same results as the memory store for any operations, also after restarts and
 * compactions.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import { openMemoryStore } from "../../runtime/storage/memory/memory-store.ts"
import type { Check, Store, StoreEvent, Write } from "../../runtime/storage/store.ts"
import { StoreError } from "../../runtime/storage/store.ts"
import type { ManualClock } from "./manual-clock.ts"
import { createManualClock } from "./manual-clock.ts"
import { until } from "./store-fixture.ts"

const runs = Number(process.env.STORE_MODEL_RUNS ?? 25)

/** Few keys with shared prefixes, so that operations affect each other. */
const keys = ["foo/a", "foo/b", "foo/b/c", "foobar/a", "bar/ä", "bar/😀", "bar/\ufb01"]
const prefixes = ["", "foo/", "foo/b/", "foobar/", "bar/"]

interface Pair {
  readonly dir: string
  readonly clock: ManualClock
  readonly memory: Store
  lmdb: Store
  readonly seen: { memory: StoreEvent[]; lmdb: StoreEvent[] }
}

type Operation =
  | {
      type: "commit"
      checks: { key: string; guess: "current" | "absent" | "stale" }[]
      writes: { key: string; value: string | null; ttlSeconds: number | null }[]
    }
  | { type: "burst"; key: string; count: number }
  | { type: "get"; key: string; back: number | null }
  | { type: "list"; prefix: string; limit: number | null; startAfter: string | null; back: number | null }
  | { type: "watch"; prefix: string; back: number }
  | { type: "compact"; back: number }
  | { type: "advance"; seconds: number }
  | { type: "reopen" }

const key = fc.constantFrom(...keys)
const back = fc.option(fc.integer({ min: -1, max: 12 }))
const ttl = fc.option(fc.integer({ min: 1, max: 20 }), { freq: 4 })
const checks = fc.array(fc.record({ key, guess: fc.constantFrom("current", "current", "absent", "stale") }), { maxLength: 2 })
const writes = fc.uniqueArray(fc.record({ key, value: fc.option(fc.string(), { freq: 3 }), ttlSeconds: ttl }), {
  maxLength: 3,
  selector: (write) => write.key,
})
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant("commit"), checks, writes }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("burst"), key, count: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("get"), key, back }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("list"),
      prefix: fc.constantFrom(...prefixes),
      limit: fc.option(fc.integer({ min: 1, max: 4 })),
      startAfter: fc.option(key),
      back,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("watch"), prefix: fc.constantFrom(...prefixes), back: fc.integer({ min: -1, max: 12 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("compact"), back: fc.integer({ min: -1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("advance"), seconds: fc.integer({ min: 1, max: 15 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reopen") }) },
)

test("the embedded store gives the same results as the memory store", { timeout: 120_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 60 }), compareRun), {
    numRuns: runs,
    endOnFailure: true,
  })
})

async function compareRun(operations: readonly Operation[]): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "store-model-"))
  const clock = createManualClock()
  const memory = await openMemoryStore({ clock })
  const pair: Pair = { dir, clock, memory, lmdb: await openLmdbStore({ dir, clock }), seen: { memory: [], lmdb: [] } }
  try {
    await follow(memory, 1, pair.seen.memory)
    await follow(pair.lmdb, 1, pair.seen.lmdb)
    for (const step of operations) await perform(pair, step)
    await until(() => pair.seen.lmdb.length >= pair.seen.memory.length)
    expect(pair.seen.lmdb.map(plain)).toEqual(pair.seen.memory.map(plain))
    await compare(pair, async (store) => ({ ...(await store.status()), sizeBytes: 0, driver: "" }))
  } finally {
    await Promise.all([memory.close(), pair.lmdb.close()])
    await rm(dir, { recursive: true })
  }
}

async function perform(pair: Pair, step: Operation): Promise<void> {
  const { clock, memory } = pair
  const newest = await memory.revision()
  const revisionOf = (steps: number | null): { revision?: number } => (steps === null ? {} : { revision: Math.max(0, newest - steps) })
  switch (step.type) {
    case "commit": {
      const options = await commitOptions(memory, step)
      return compare(pair, (store) => store.commit(options))
    }
    case "burst": {
      const burst = Array.from(
        { length: step.count },
        (_, index): Write => ({ type: "put", key: step.key, value: Buffer.from(`${index}`) }),
      )
      return compare(pair, (store) => Promise.all(burst.map((write) => store.commit({ checks: [], writes: [write] }))))
    }
    case "get":
      return compare(pair, (store) => store.get({ key: step.key, ...revisionOf(step.back) }))
    case "list": {
      const { prefix, limit, startAfter } = step
      return compare(pair, (store) =>
        store.list({ prefix, ...revisionOf(step.back), ...(limit !== null && { limit }), ...(startAfter !== null && { startAfter }) }),
      )
    }
    case "watch":
      return compare(pair, (store) => replayed(store, step.prefix, Math.max(0, newest - step.back)))
    case "compact":
      return compare(pair, (store) => store.compact({ revision: Math.max(0, newest - step.back) }))
    case "advance": {
      clock.advance(step.seconds * 1000)
      const expired = await memory.revision()
      return until(async () => (await pair.lmdb.revision()) === expired)
    }
    case "reopen":
      await pair.lmdb.close()
      pair.lmdb = await openLmdbStore({ dir: pair.dir, clock })
      return follow(pair.lmdb, newest, pair.seen.lmdb)
  }
}

async function commitOptions(memory: Store, step: Operation & { type: "commit" }): Promise<{ checks: Check[]; writes: Write[] }> {
  const made: Check[] = []
  for (const { key: checked, guess } of step.checks) {
    const current = (await memory.get({ key: checked }))?.modRevision ?? 0
    made.push({ key: checked, modRevision: guess === "current" ? current : guess === "absent" ? 0 : Math.max(1, current - 1) })
  }
  const writing = step.writes.map(({ key: written, value, ttlSeconds }): Write => {
    if (value === null) return { type: "delete", key: written }
    return { type: "put", key: written, value: Buffer.from(value), ...(ttlSeconds !== null && { ttlSeconds }) }
  })
  return { checks: made, writes: writing }
}

async function follow(store: Store, afterRevision: number, into: StoreEvent[]): Promise<void> {
  await store.watch({ prefix: "", afterRevision, onEvents: (events) => into.push(...events), onEnd: () => undefined })
}

async function replayed(store: Store, prefix: string, afterRevision: number): Promise<unknown[]> {
  const events: StoreEvent[] = []
  const { stop } = await store.watch({ prefix, afterRevision, onEvents: (some) => events.push(...some), onEnd: () => undefined })
  stop()
  return events
}

async function compare(pair: Pair, call: (store: Store) => Promise<unknown>): Promise<void> {
  const [expected, actual] = await Promise.all([answerOf(call(pair.memory)), answerOf(call(pair.lmdb))])
  expect(actual).toEqual(expected)
}

async function answerOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return plain(await call)
  } catch (error) {
    if (error instanceof StoreError) return { code: error.code, revision: error.revision }
    throw error
  }
}

/** Bytes as text: the kind of array does not matter then, and differences are readable. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (value instanceof Map) return [...value].map(plain)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]))
  return value
}
