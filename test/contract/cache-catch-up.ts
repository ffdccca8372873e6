import { expect } from "vitest"
import { fanOutWorkMax } from "../../runtime/base/limits.ts"
import type { Store } from "../../runtime/storage/store.ts"
import type { CacheLimits } from "../../runtime/storage/watch-cache/options.ts"
import { Gate, put, record, type Recording, settle, thingCodec } from "./cache-fixtures.ts"
import { lost } from "./cache-unreliable.ts"
import type { CacheCases } from "./cache-cases.ts"

/** Small pieces, a short window and hardly any kept past events. */
const tight: Partial<CacheLimits> = { pageEvents: 3, historyReadBytes: 60, pastEventBytes: 1, windowEvents: 10, windowMs: 1000 }

/**
 * Watches that are behind, because they resume, have a slow client, or have used up their turn's budget. Their events
 * have no gap and no repetition.
 */
export const catchUpCases: CacheCases = {
  async "a watch resumes exactly at the start of a window that has dropped more than it kept"({ store, open, place }) {
    const things = open({ windowEvents: 10, windowMs: 1000 }).resource("things", thingCodec())
    await things.ready
    await putMany(store, 100)
    place.clock.advance(5000)
    await put(store, "/registry/things/a/x")
    await store.compact({ revision: 102 })
    await settle()
    const first = record(things, { afterRevision: 92 })
    const older = record(things, { afterRevision: 91 })
    await settle()
    expect(revisions(first)).toEqual(from(93, 102))
    expect(older.ends.map((error) => error.code)).toEqual(["compacted"])
  },

  async "a slow client gets missed events as it has room, and newer ones after them"({ store, open }) {
    const things = open({ pageEvents: 3 }).resource("things", thingCodec())
    await things.ready
    await putMany(store, 10)
    const gate = new Gate()
    const slow = record(things, { afterRevision: 1, gate, each: () => gate.close() })
    const quick = record(things, { afterRevision: 1 })
    await settle()
    expect(revisions(slow)).toEqual([2, 3, 4])
    await putMany(store, 2)
    await openUntil(gate, () => slow.events.length === 12)
    expect(revisions(slow)).toEqual(from(2, 13))
    expect(Math.max(...slow.batches)).toBeLessThanOrEqual(3)
    expect(slow.missed).toEqual([])
    expect(revisions(quick)).toEqual(from(2, 13))
    await putMany(store, 1)
    expect(revisions(slow)).toEqual(from(2, 14))
  },

  async "a live watch without room gets nothing, and everything in pieces when it has room"({ store, open }) {
    const things = open({ pageEvents: 3 }).resource("things", thingCodec())
    await things.ready
    const gate = new Gate()
    const slow = record(things, { prefix: "a/", afterRevision: 1, gate })
    await putMany(store, 2)
    gate.close()
    await putMany(store, 10)
    await put(store, "/registry/things/b/elsewhere")
    await settle()
    expect(revisions(slow)).toEqual([2, 3])
    expect(slow.mark()).toBe(3)
    expect(slow.missed).toEqual(from(4, 13))
    gate.open()
    await settle()
    expect(revisions(slow)).toEqual(from(2, 13))
    expect(Math.max(...slow.batches)).toBe(3)
    expect(slow.mark()).toBe(14)
    await putMany(store, 1)
    expect(revisions(slow)).toEqual([...from(2, 13), 15])
  },

  async "reads from the log when the window is cut while a watch reads it"({ store, open, place }) {
    const things = open(tight).resource("things", thingCodec())
    await things.ready
    await putMany(store, 20)
    const gate = new Gate()
    const slow = record(things, { afterRevision: 1, gate, each: () => gate.close() })
    await settle()
    expect(revisions(slow)).toEqual([2, 3, 4])
    place.clock.advance(5000)
    await putMany(store, 20)
    place.clock.advance(60_000)
    const before = store.pastsRead
    await openUntil(gate, () => slow.events.length === 40)
    expect(store.pastsRead).toBeGreaterThan(before)
    expect(revisions(slow)).toEqual(from(2, 41))
    await putMany(store, 1)
    expect(revisions(slow)).toEqual(from(2, 42))
  },

  async "a compaction that overtakes a watch in the log ends it as compacted, and others go on"({ store, open }) {
    await putMany(store, 30)
    const things = open(tight).resource("things", thingCodec())
    await things.ready
    const gate = new Gate()
    const slow = record(things, { afterRevision: 1, gate, each: () => gate.close() })
    await settle()
    const told = revisions(slow)
    expect(told).toEqual(from(2, 1 + told.length))
    await store.compact({ revision: 20 })
    const later = record(things, { afterRevision: 20 })
    await settle()
    gate.open()
    await settle()
    expect(slow.ends.map((error) => error.code)).toEqual(["compacted"])
    expect(revisions(slow)).toEqual(told)
    expect(revisions(later)).toEqual(from(21, 31))
    expect(later.ends).toEqual([])
  },

  async "calls nothing after a watch was stopped while it reads the past"({ store, open }) {
    await putMany(store, 10)
    const things = open(tight).resource("things", thingCodec())
    await things.ready
    const amid = record(things, { afterRevision: 1, each: (recording) => recording.stop() })
    const release = store.holdPast()
    const waiting = record(things, { afterRevision: 3 })
    await settle()
    waiting.stop()
    release()
    await settle()
    await putMany(store, 1)
    await settle()
    expect(amid.batches.length).toBe(1)
    expect(waiting.events).toEqual([])
    expect([...amid.ends, ...waiting.ends]).toEqual([])
  },

  async "a watch that waits for room ends once when the resource starts over"({ store, open }) {
    await putMany(store, 10)
    const cache = open(tight)
    const things = cache.resource("things", thingCodec())
    await things.ready
    const gate = new Gate()
    const slow = record(things, { afterRevision: 1, gate, each: () => gate.close() })
    const live = record(things, { afterRevision: 11, gate })
    await settle()
    await putMany(store, 1)
    const told = revisions(slow)
    store.endWatches(lost("compacted"))
    gate.open()
    await settle()
    expect(slow.ends.map((error) => error.code)).toEqual(["compacted"])
    expect(live.ends.map((error) => error.code)).toEqual(["compacted"])
    expect(revisions(slow)).toEqual(told)
    expect(cache.pagesBytes()).toBe(0)
  },

  async "a reader of the past does not notice that the store was down for a moment"({ store, open, place }) {
    await putMany(store, 30)
    const things = open(tight).resource("things", thingCodec())
    await things.ready
    const gate = new Gate()
    const slow = record(things, { afterRevision: 1, gate, each: () => gate.close() })
    await settle()
    store.fail(lost())
    gate.open()
    await settle()
    store.fail(undefined)
    await putMany(store, 5)
    place.clock.advance(10_000)
    await openUntil(gate, () => slow.events.length === 35)
    expect(slow.ends).toEqual([])
    expect(revisions(slow)).toEqual(from(2, 36))
  },

  async "hundreds of watches that resume at different revisions read the log once, within the byte budget"({ store, open }) {
    await putMany(store, 60)
    const cache = open({ pageEvents: 5, historyReadBytes: 200, pastEventBytes: 20_000 })
    const things = cache.resource("things", thingCodec())
    await things.ready
    const before = store.pastsRead
    const recordings = Array.from({ length: 200 }, (_none, index) => record(things, { afterRevision: 1 + (index % 20) }))
    for (let round = 0; round < 5; round++) await settle()
    for (const recording of recordings) expect(revisions(recording)).toEqual(from(recording.afterRevision + 1, 61))
    // About 13 bytes a value: one pass takes four or five reads, and each watch that begins before the first read costs
    // at most one more.
    expect(store.pastsRead - before).toBeLessThan(10)
    expect(new Set(recordings.map(({ events }) => events.at(-1))).size).toBe(1)
    expect(cache.pagesBytes()).toBeLessThanOrEqual(20_000)
  },

  async "drops unused pieces of the past"({ store, open, place }) {
    await putMany(store, 20)
    const cache = open({ pageEvents: 5 })
    const things = cache.resource("things", thingCodec())
    await things.ready
    record(things, { afterRevision: 1 })
    await settle()
    expect(cache.pagesBytes()).toBeGreaterThan(0)
    place.clock.advance(100_000)
    expect(cache.pagesBytes()).toBe(0)
  },

  async "delivers to very many watchers in turns, before the commit is answered"({ store, open }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    await things.ready
    const costly = Array.from({ length: 10 }, () => record(things, { afterRevision: 1, workPerEvent: fanOutWorkMax / 2 }))
    expect(cache.delivered()).toBeUndefined()
    await put(store, "/registry/things/a/x")
    const told = (): number => costly.filter(({ events }) => events.length > 0).length
    expect(told()).toBeGreaterThan(0)
    expect(told()).toBeLessThan(10)
    const delivered = cache.delivered()
    expect(delivered).toBeDefined()
    expect(cache.delivered()).toBe(delivered)
    await put(store, "/registry/things/a/y")
    await delivered
    expect(told()).toBe(10)
    await settle()
    await put(store, "/registry/things/a/x", "again")
    await settle()
    for (const recording of costly) expect(revisions(recording)).toEqual([2, 3, 4])
    expect(cache.delivered()).toBeUndefined()
  },
}

async function putMany(store: Store, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await put(store, `/registry/things/a/${index % 5}`, `${await store.revision()}`)
}

/** A client that takes one piece after the other. */
async function openUntil(gate: Gate, isDone: () => boolean): Promise<void> {
  for (let round = 0; round < 60 && !isDone(); round++) {
    gate.open()
    await settle()
  }
  gate.open()
  await settle()
}

function revisions(recording: Recording): number[] {
  return recording.events.map(({ revision }) => revision)
}

function from(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_none, index) => first + index)
}
