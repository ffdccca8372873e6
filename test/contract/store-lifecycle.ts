/** Status, close, and the data that a restart must keep. */
import { expect } from "vitest"
import { StoreError } from "../../runtime/storage/store.ts"
import { codeOf, put, record, remove, shown, text, until, write } from "./store-fixture.ts"
import type { StoreCases } from "./store-cases.ts"

export const lifecycleCases: StoreCases = {
  "Stats: status has the number of keys and the revisions": async ({ store }) => {
    await write(store, [put("foo/a", "1"), put("foo/b", "1"), put("foo/c", "1")])
    await write(store, [remove("foo/b"), put("foo/a", "2")])
    const status = await store.status()
    expect(status).toMatchObject({ revision: 3, compactedRevision: 0, keys: 2 })
    expect(status.sizeBytes).toBeGreaterThan(0)
    expect(status.fault).toBeUndefined()
  },
  "every call after close fails with closed, and closing twice is fine": async ({ store }) => {
    await store.close()
    await store.close()
    expect(await codeOf(store.get({ key: "foo/a" }))).toBe("closed")
    expect(await codeOf(store.list({ prefix: "" }))).toBe("closed")
    expect(await codeOf(store.commit({ checks: [], writes: [put("foo/a", "1")] }))).toBe("closed")
    expect(await codeOf(store.watch({ prefix: "", afterRevision: 0, onEvents: () => undefined, onEnd: () => undefined }))).toBe("closed")
    expect(await codeOf(store.revision())).toBe("closed")
    expect(await codeOf(store.compact({ revision: 1 }))).toBe("closed")
    expect(await codeOf(store.status())).toBe("closed")
  },
  "answers every commit that was requested before close": async ({ store }) => {
    const commits = Array.from({ length: 100 }, (_, index) => store.commit({ checks: [], writes: [put(`foo/${index}`, "1")] }))
    const closing = store.close()
    const settled = await Promise.allSettled(commits)
    await closing
    for (const result of settled) {
      if (result.status === "fulfilled") continue
      expect(result.reason).toBeInstanceOf(StoreError)
      // Either not sent any more, or sent to another machine and interrupted before the answer.
      expect(["closed", "undecided"]).toContain(result.reason.code)
    }
  },
}

export const persistenceCases: StoreCases = {
  "acknowledged writes are there after a restart, past revisions too": async ({ store, reopen }) => {
    await write(store, [put("foo/a", "1"), put("foo/b", "1")])
    await write(store, [put("foo/a", "2"), remove("foo/b")])
    const again = await reopen()
    expect(await again.revision()).toBe(3)
    expect(await again.get({ key: "foo/a" })).toMatchObject({ createRevision: 2, modRevision: 3 })
    expect((await again.list({ prefix: "foo/" })).items.map(text)).toEqual(["2"])
    expect((await again.list({ prefix: "foo/", revision: 2 })).items.map(text)).toEqual(["1", "1"])
    expect(await write(again, [put("foo/c", "1")])).toBe(4)
    expect(await again.status()).toMatchObject({ keys: 2 })
  },
  "a watch resumes across a restart": async ({ store, reopen }) => {
    await write(store, [put("foo/a", "1")])
    await write(store, [put("foo/a", "2")])
    const again = await reopen()
    const watch = await record(again, { afterRevision: 2 })
    await write(again, [remove("foo/a")])
    await until(() => watch.events.length >= 2)
    expect(watch.events.map(shown)).toEqual(["put foo/a=2@3 was 1@2", "delete foo/a@4 was 2@3"])
  },
  "compaction survives a restart": async ({ store, reopen }) => {
    for (let round = 0; round < 5; round++) await write(store, [put("foo/a", `${round}`)])
    await store.compact({ revision: 5 })
    const again = await reopen()
    expect(await again.status()).toMatchObject({ revision: 6, compactedRevision: 5 })
    expect(await codeOf(again.list({ prefix: "foo/", revision: 4 }))).toBe("compacted")
    expect(text(await again.get({ key: "foo/a", revision: 5 }))).toBe("3")
  },
  "values that expired while the store was closed are deleted at start": async ({ store, place, reopen }) => {
    await write(store, [put("foo/a", "1", 5), put("foo/b", "1", 100), put("foo/c", "1")])
    await store.close()
    place.clock.advance(10_000)
    const again = await reopen()
    const watch = await record(again, { afterRevision: 2 })
    place.clock.advance(1_000)
    await until(() => watch.events.length === 1)
    expect(watch.events.map(shown)).toEqual(["delete foo/a@3 was 1@2"])
    place.clock.advance(100_000)
    await until(() => watch.events.length === 2)
    expect(watch.events.map(shown)[1]).toBe("delete foo/b@4 was 1@2")
  },
}
