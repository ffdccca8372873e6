import { describe, expect, it } from "vitest"
import { ByteArena } from "./byte-arena.ts"
import { CachedEntry, DeletedEntry } from "./entry.ts"
import { EventWindow, type HeldEvent } from "./event-window.ts"
import { EncodingCache } from "./encoding-cache.ts"
import { defaultCacheLimits } from "./options.ts"
import { SlabPool } from "./slab-pool.ts"

const context = {
  arena: new ByteArena(new SlabPool({ ...defaultCacheLimits, slabBytes: 1024, regionBytes: 4 * 1024 })),
  written: new Map(),
  onUndecodable: () => undefined,
  encodings: new EncodingCache(1 << 20),
  codec: { toJson: () => "{}", describe: () => ({ labels: {}, fields: {} }) },
}

const event = (revision: number, name = "n/a"): HeldEvent => ({
  type: "ADDED",
  revision,
  object: new CachedEntry(context, name, revision, revision, Buffer.alloc(100)),
})
const revisions = (events: Iterable<HeldEvent>) => [...events].map(({ revision }) => revision)
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_none, index) => first + index)

describe("the event window", () => {
  it("begins directly after `low`, however many events were dropped", () => {
    for (const [dropped, left] of [
      [1, 500],
      [64, 10],
      [65, 64],
      [65, 10],
      [200, 3],
      [300, 0],
    ] as const) {
      const window = new EventWindow({ ...defaultCacheLimits, windowMs: 1000, windowEvents: left }, 1, context.encodings)
      const last = dropped + left + 1
      for (const revision of from(2, last)) window.push(event(revision), 0)
      window.trim(2000)
      const what = `${dropped} dropped, ${left} left`
      expect(window.low, what).toBe(dropped + 1)
      expect(window.size, what).toBe(left)
      expect(revisions(window.after(window.low)), what).toEqual(from(dropped + 2, last))
      expect(revisions(window.backwards(last, window.low)), what).toEqual(from(dropped + 2, last).reverse())
      expect(window.newest, what).toBe(last)
      window.push(event(last + 1), 2000)
      expect(revisions(window.after(window.low)), what).toEqual(from(dropped + 2, last + 1))
    }
  })

  it("drops a revision as a whole", () => {
    const window = new EventWindow({ ...defaultCacheLimits, windowBytes: 700, windowEvents: 0 }, 1, context.encodings)
    for (const name of ["n/a", "n/b", "n/c"]) window.push(event(2, name), 0)
    window.push(event(3), 0)
    window.trim(0)
    expect(window.low).toBe(2)
    expect(revisions(window.after(2))).toEqual([3])
  })

  it("forgets the encodings of replaced and deleted objects with their events", () => {
    const { encodings } = context
    const window = new EventWindow({ ...defaultCacheLimits, windowMs: 1000, windowEvents: 1 }, 1, encodings)
    const [a, b, c] = [2, 3, 5].map((revision) => new CachedEntry(context, "n/a", 2, revision, Buffer.alloc(100)))
    if (a === undefined || b === undefined || c === undefined) throw new Error("three versions")
    const deleted = new DeletedEntry(encodings, b, 4)
    window.push({ type: "ADDED", revision: 2, object: a }, 0)
    window.push({ type: "MODIFIED", revision: 3, object: b, previous: a }, 0)
    window.push({ type: "DELETED", revision: 4, object: deleted, previous: b }, 0)
    window.push({ type: "ADDED", revision: 5, object: c }, 0)
    for (const each of [a, b, deleted, c]) each.derived("frame", () => Buffer.alloc(10))
    const frames = () => [a, b, deleted, c].map((each) => each.kept("frame") !== undefined)
    window.trim(500)
    expect(frames()).toEqual([true, true, true, true])
    window.trim(2000)
    expect(window.size).toBe(1)
    expect(frames()).toEqual([false, false, false, true])
  })
})
