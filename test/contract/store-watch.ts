/** Watches: ordered, complete, without duplicates, from any readable revision. */
import { expect } from "vitest"
import { readLogOf } from "../../runtime/storage/log-reader.ts"
import type { Store, StoreEvent } from "../../runtime/storage/store.ts"
import { codeOf, put, record, remove, shown, text, until, write } from "./store-fixture.ts"
import type { StoreCases } from "./store-cases.ts"

/** Five commits that every case can rely on. */
async function history(store: Store): Promise<void> {
  await write(store, [put("foo/a", "1")])
  await write(store, [put("foo/b", "1"), put("bar/c", "1")])
  await write(store, [put("foo/a", "2")])
  await write(store, [remove("foo/b"), put("foo/d", "1")])
}
const historyShown = ["put foo/a=1@2", "put foo/b=1@3", "put bar/c=1@3", "put foo/a=2@4 was 1@2", "delete foo/b@5 was 1@3", "put foo/d=1@5"]

const replays: StoreCases = {
  "WatchFromZero: everything since the beginning, in order": async ({ store }) => {
    await history(store)
    const watch = await record(store, { afterRevision: 0 })
    await until(() => watch.events.length >= historyShown.length)
    expect(watch.events.map(shown)).toEqual(historyShown)
    expect(watch.events.map((event) => event.createRevision)).toEqual([2, 3, 3, 2, 3, 5])
  },
  "WatchFromNonZero: only what is newer": async ({ store }) => {
    await history(store)
    const watch = await record(store, { afterRevision: 3 })
    await until(() => watch.events.length >= 3)
    expect(watch.events.map(shown)).toEqual(historyShown.slice(3))
  },
  "Watch from now: only new events": async ({ store }) => {
    await history(store)
    const watch = await record(store, { afterRevision: await store.revision() })
    await write(store, [put("foo/a", "3")])
    expect(watch.events.map(shown)).toEqual(["put foo/a=3@6 was 2@4"])
  },
  "past events come in pieces of whole commits, up to the requested revision": async ({ store }) => {
    await history(store)
    const whole = await readLogOf(store, { prefix: "", afterRevision: 1, upTo: 5, bytes: 1_000_000 })
    expect(whole.events.map(shown)).toEqual(historyShown)
    expect(whole.revision).toBe(5)
    const part = await readLogOf(store, { prefix: "foo/", afterRevision: 2, upTo: 4, bytes: 1_000_000 })
    expect(part.events.map(shown)).toEqual([historyShown[1], historyShown[3]])
    expect(part.revision).toBe(4)
    const pieced: string[] = []
    let reached = 1
    while (reached < 5) {
      const piece = await readLogOf(store, { prefix: "", afterRevision: reached, upTo: 5, bytes: 1 })
      expect(piece.events.every(({ revision }) => revision > reached && revision <= piece.revision)).toBe(true)
      pieced.push(...piece.events.map(shown))
      expect(piece.revision).toBeGreaterThan(reached)
      reached = piece.revision
    }
    expect(pieced).toEqual(historyShown)
    await store.compact({ revision: 4 })
    expect(await codeOf(readLogOf(store, { prefix: "", afterRevision: 3, upTo: 5, bytes: 1 }))).toBe("compacted")
    expect(await codeOf(readLogOf(store, { prefix: "", afterRevision: 6, upTo: 6, bytes: 1 }))).toBe("future")
  },
  "refuses a watch from a future revision": async ({ store }) => {
    await history(store)
    expect(await codeOf(store.watch({ prefix: "", afterRevision: 6, onEvents: () => undefined, onEnd: () => undefined }))).toBe("future")
  },
  "a watch that starts during writes misses and repeats nothing": async ({ store }) => {
    const writing = Promise.all(Array.from({ length: 300 }, (_, index) => write(store, [put(`foo/${index % 7}`, `${index}`)])))
    const watches = await Promise.all(Array.from({ length: 5 }, () => record(store, { prefix: "foo/", afterRevision: 1 })))
    await writing
    for (const watch of watches) {
      await until(() => watch.events.length >= 300)
      expect(watch.events.map((event) => event.revision)).toEqual(Array.from({ length: 300 }, (_, index) => index + 2))
    }
  },
  "WatchResumable: from every delivered revision, the rest follows": async ({ store }) => {
    await history(store)
    for (let afterRevision = 0; afterRevision <= 5; afterRevision++) {
      const watch = await record(store, { afterRevision })
      const expected = historyShown.filter((line) => Number(/@(\d+)/.exec(line)?.[1]) > afterRevision)
      await until(() => watch.events.length >= expected.length)
      expect(watch.events.map(shown)).toEqual(expected)
      watch.stop()
    }
  },
}

const live: StoreCases = {
  "NamespaceScopedWatch: a prefix ends at its slash": async ({ store }) => {
    const watch = await record(store, { prefix: "foo/", afterRevision: 1 })
    await write(store, [put("foobar/a", "1"), put("foo/a", "1"), put("foo", "1"), put("fop/a", "1")])
    await write(store, [put("foo/b/c", "1")])
    expect(watch.events.map(shown)).toEqual(["put foo/a=1@2", "put foo/b/c=1@3"])
  },
  "DeleteTriggerWatch: a delete event has the last value": async ({ store }) => {
    await write(store, [put("foo/a", "last")])
    const watch = await record(store, { afterRevision: 2 })
    await write(store, [remove("foo/a")])
    const [event] = watch.events
    expect(event).toMatchObject({ type: "delete", key: "foo/a", revision: 3, createRevision: 2 })
    expect(event?.value).toBeUndefined()
    expect(event?.previous).toMatchObject({ key: "foo/a", createRevision: 2, modRevision: 2 })
    expect(text(event?.previous)).toBe("last")
  },
  "after the acknowledgement a write was delivered and can be read": async ({ store }) => {
    const watch = await record(store, { afterRevision: 1 })
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const revision = await write(store, [put(`foo/${index}`, "1")])
        expect(watch.events.some((event) => event.key === `foo/${index}` && event.revision === revision)).toBe(true)
        expect(watch.revisions.at(-1)).toBeGreaterThanOrEqual(revision)
        expect(await store.get({ key: `foo/${index}` })).toMatchObject({ modRevision: revision })
      }),
    )
  },
  "Atomic: the writes of a commit come in one call": async ({ store }) => {
    const calls: string[][] = []
    await store.watch({ prefix: "", afterRevision: 1, onEvents: (events) => calls.push(events.map(shown)), onEnd: () => undefined })
    await write(store, [put("foo/b", "1"), put("foo/a", "1"), put("bar/c", "1")])
    expect(calls).toEqual([["put foo/b=1@2", "put foo/a=1@2", "put bar/c=1@2"]])
  },
  "Bookmarkable: a call reports the revision up to which every event was delivered": async ({ store }) => {
    const watch = await record(store, { prefix: "foo/", afterRevision: 1 })
    await write(store, [put("foo/a", "1")])
    await write(store, [put("bar/a", "1")])
    // A reader that waits for a revision has called `revision()`; only that call makes a store behind a network advance
    // its watches.
    await until(async () => (await store.revision()) === watch.revisions.at(-1))
    expect(watch.events).toHaveLength(1)
    expect(watch.revisions).toEqual([2, 3])
  },
  "every watcher gets the same order": async ({ store }) => {
    const watches = await Promise.all(Array.from({ length: 4 }, () => record(store, { afterRevision: 1 })))
    await Promise.all(Array.from({ length: 100 }, (_, index) => write(store, [put(`foo/${index % 5}`, `${index}`)])))
    const [first, ...others] = watches.map((watch) => watch.events.map(shown))
    expect(first).toHaveLength(100)
    for (const other of others) expect(other).toEqual(first)
  },
  "previous is the last value written before, also within a burst": async ({ store }) => {
    const watch = await record(store, { afterRevision: 1 })
    await Promise.all(Array.from({ length: 20 }, (_, index) => write(store, [put("foo/a", `${index}`)])))
    const [, ...rest] = watch.events
    for (const [index, event] of rest.entries()) {
      expect(event.previous?.modRevision).toBe(watch.events[index]?.revision)
      expect(text(event.previous)).toBe(text(watch.events[index]))
    }
  },
  "a watcher without previous values gets the same events, past and live, and costs no other watcher its own": async ({ store }) => {
    await history(store)
    const seen: string[] = []
    const plain = (event: StoreEvent): string => `${event.type} ${event.key}=${text(event) ?? ""}@${event.revision}`
    const onEvents = (events: readonly StoreEvent[]): void => void seen.push(...events.map(plain))
    await store.watch({ prefix: "", afterRevision: 1, previous: false, onEvents, onEnd: () => undefined })
    await write(store, [put("foo/a", "3"), remove("foo/d")])
    const withPrevious = await record(store, { afterRevision: 6 })
    await write(store, [put("foo/a", "4"), put("foo/e", "1")])
    await write(store, [remove("foo/a")])
    await until(() => seen.length >= historyShown.length + 5)
    expect(seen.slice(historyShown.length)).toEqual([
      "put foo/a=3@6",
      "delete foo/d=@6",
      "put foo/a=4@7",
      "put foo/e=1@7",
      "delete foo/a=@8",
    ])
    expect(withPrevious.events.map(shown)).toEqual(["put foo/a=4@7 was 3@6", "put foo/e=1@7", "delete foo/a@8 was 4@7"])
  },
  "a failed check and deleting a missing key cause no events": async ({ store }) => {
    const watch = await record(store, { afterRevision: 1 })
    await store.commit({ checks: [{ key: "foo/a", modRevision: 5 }], writes: [put("foo/a", "1")] })
    await write(store, [remove("foo/a")])
    await write(store, [put("foo/b", "1")])
    expect(watch.events.map(shown)).toEqual(["put foo/b=1@2"])
  },
}

const endings: StoreCases = {
  "WatchContextCancel: no events after stop": async ({ store }) => {
    const watch = await record(store, { afterRevision: 1 })
    const other = await record(store, { afterRevision: 1 })
    watch.stop()
    watch.stop()
    await write(store, [put("foo/a", "1")])
    expect(watch.events).toEqual([])
    expect(other.events).toHaveLength(1)
    expect(watch.ended).toBeUndefined()
  },
  "closing the store ends its watches": async ({ store }) => {
    const watch = await record(store, { afterRevision: 1 })
    const stopped = await record(store, { afterRevision: 1 })
    stopped.stop()
    await store.close()
    expect(watch.ended?.code).toBe("closed")
    expect(stopped.ended).toBeUndefined()
  },
  "a watcher may stop, watch and commit from its own callback": async ({ store }) => {
    const order: string[] = []
    let nested: Promise<number> | undefined
    const first = await store.watch({
      prefix: "",
      afterRevision: 1,
      onEvents: (events) => {
        order.push(...events.map((event) => `first ${event.key}`))
        nested ??= write(store, [put("foo/nested", "1")])
      },
      onEnd: () => undefined,
    })
    await record(store, { afterRevision: 1 })
    await store.watch({
      prefix: "",
      afterRevision: 1,
      onEvents: (events) => order.push(...events.map((event) => `second ${event.key}`)),
      onEnd: () => undefined,
    })
    await write(store, [put("foo/a", "1")])
    expect(await nested).toBe(3)
    for (const watcher of ["first", "second"])
      expect(order.filter((line) => line.startsWith(watcher))).toEqual([`${watcher} foo/a`, `${watcher} foo/nested`])
    first.stop()
  },
}

export const watchCases: StoreCases = { ...replays, ...live, ...endings }
