/** Compaction: deletes the past and keeps the present. */
import { expect } from "vitest"
import type { Store } from "../../runtime/storage/store.ts"
import { codeOf, put, record, remove, shown, text, until, write } from "./store-fixture.ts"
import type { StoreCases } from "./store-cases.ts"

/** Revisions 2 to 6. */
async function history(store: Store): Promise<void> {
  await write(store, [put("foo/a", "1"), put("foo/same", "1")])
  await write(store, [put("foo/a", "2")])
  await write(store, [put("foo/b", "1")])
  await write(store, [remove("foo/b")])
  await write(store, [put("foo/a", "3"), put("foo/b", "2")])
}

async function listed(store: Store, revision?: number): Promise<string> {
  const { items } = await store.list({ prefix: "foo/", ...(revision !== undefined && { revision }) })
  return items.map((item) => `${item.key}=${text(item)}`).join(" ")
}

const nothing = { onEvents: () => undefined, onEnd: () => undefined }

export const compactionCases: StoreCases = {
  "CompactRevision: reads below it fail, those from it on stay exact": async ({ store }) => {
    await history(store)
    await store.compact({ revision: 5 })
    expect(await codeOf(store.get({ key: "foo/a", revision: 4 }))).toBe("compacted")
    expect(await codeOf(store.list({ prefix: "foo/", revision: 4 }))).toBe("compacted")
    expect(await listed(store, 5)).toBe("foo/a=2 foo/same=1")
    expect(await listed(store, 6)).toBe("foo/a=3 foo/b=2 foo/same=1")
    expect(await listed(store)).toBe("foo/a=3 foo/b=2 foo/same=1")
    expect(text(await store.get({ key: "foo/a", revision: 5 }))).toBe("2")
    expect(await store.status()).toMatchObject({ revision: 6, compactedRevision: 5, keys: 3 })
  },
  "the error contains the oldest revision": async ({ store }) => {
    await history(store)
    await store.compact({ revision: 4 })
    await expect(store.list({ prefix: "", revision: 2 })).rejects.toMatchObject({ code: "compacted", revision: 4 })
    await expect(store.list({ prefix: "", revision: 99 })).rejects.toMatchObject({ code: "future", revision: 6 })
  },
  "refuses a watch from below, and a watch from the compacted revision misses nothing": async ({ store }) => {
    await history(store)
    await store.compact({ revision: 4 })
    expect(await codeOf(store.watch({ prefix: "", afterRevision: 3, ...nothing }))).toBe("compacted")
    const watch = await record(store, { afterRevision: 4 })
    await until(() => watch.events.length >= 3)
    expect(watch.events.map(shown)).toEqual(["delete foo/b@5 was 1@4", "put foo/a=3@6 was 2@3", "put foo/b=2@6"])
  },
  "does not affect a running watch": async ({ store }) => {
    await history(store)
    const watch = await record(store, { afterRevision: 6 })
    await store.compact({ revision: 6 })
    await write(store, [put("foo/a", "4")])
    expect(watch.events.map(shown)).toEqual(["put foo/a=4@7 was 3@6"])
    expect(watch.ended).toBeUndefined()
  },
  "compacting at the present revision keeps the present values, and works repeatedly": async ({ store }) => {
    for (let round = 0; round < 5; round++) {
      await history(store)
      await store.compact({ revision: await store.revision() })
      expect(await listed(store)).toBe("foo/a=3 foo/b=2 foo/same=1")
      await write(store, [remove("foo/a"), remove("foo/b")])
      await store.compact({ revision: await store.revision() })
      expect(await listed(store)).toBe("foo/same=1")
    }
  },
  "compacting again to the same or an older revision does nothing, a future one is refused": async ({ store }) => {
    await history(store)
    await store.compact({ revision: 5 })
    await store.compact({ revision: 5 })
    await store.compact({ revision: 3 })
    expect(await store.status()).toMatchObject({ compactedRevision: 5 })
    expect(await codeOf(store.compact({ revision: 7 }))).toBe("future")
    expect(await listed(store, 5)).toBe("foo/a=2 foo/same=1")
  },
  "checks and updates work as before": async ({ store }) => {
    await history(store)
    await store.compact({ revision: 6 })
    expect(await write(store, [put("foo/same", "2")], [{ key: "foo/same", modRevision: 2 }])).toBe(7)
    expect(await write(store, [put("foo/c", "1")], [{ key: "foo/c", modRevision: 0 }])).toBe(8)
  },
  "reads and writes continue during a long compaction": async ({ store }) => {
    for (let round = 0; round < 20; round++)
      await write(
        store,
        Array.from({ length: 200 }, (_, index) => put(`foo/${index}`, `${round}`)),
      )
    const before = await store.revision()
    const compacting = store.compact({ revision: before })
    const revisions = await Promise.all(Array.from({ length: 50 }, (_, index) => write(store, [put(`foo/${index}`, "new")])))
    await compacting
    expect(revisions.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 50 }, (_, index) => before + 1 + index))
    const { items } = await store.list({ prefix: "foo/", revision: before })
    expect(items.map(text)).toEqual(Array.from({ length: 200 }, () => "19"))
  },
  "values with a time to live still expire after a compaction": async ({ store, place }) => {
    await write(store, [put("foo/a", "1", 5)])
    await write(store, [put("foo/b", "1")])
    await store.compact({ revision: 3 })
    const watch = await record(store, { afterRevision: 3 })
    place.clock.advance(6_000)
    await until(() => watch.events.length > 0)
    expect(watch.events.map(shown)).toEqual(["delete foo/a@4 was 1@2"])
  },
}
