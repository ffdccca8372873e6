/** Commits, checks and single reads. */
import { expect } from "vitest"
import { storeLimits } from "../../runtime/storage/store.ts"
import { bytes, codeOf, failedOf, put, record, remove, text, until, write } from "./store-fixture.ts"
import type { StoreCases } from "./store-cases.ts"

const creation: StoreCases = {
  "an empty store is at revision 1": async ({ store }) => {
    expect(await store.revision()).toBe(1)
    expect(await store.get({ key: "foo/a" })).toBeUndefined()
  },
  "Create: the key must not exist": async ({ store }) => {
    const result = await store.commit({ checks: [{ key: "foo/a", modRevision: 0 }], writes: [put("foo/a", "one")] })
    expect(result).toEqual({ ok: true, revision: 2 })
    const stored = await store.get({ key: "foo/a" })
    expect(stored).toMatchObject({ key: "foo/a", createRevision: 2, modRevision: 2 })
    expect(stored?.expiresAtMs).toBeUndefined()
    expect(text(stored)).toBe("one")
  },
  "CreateWithKeyExist: the conflict returns the present value": async ({ store }) => {
    await write(store, [put("foo/a", "one")])
    const result = await store.commit({ checks: [{ key: "foo/a", modRevision: 0 }], writes: [put("foo/a", "two")] })
    expect(result).toMatchObject({ ok: false, revision: 2 })
    const current = failedOf(result).get("foo/a")
    expect(current).toMatchObject({ key: "foo/a", createRevision: 2, modRevision: 2 })
    expect(text(current)).toBe("one")
    expect(await store.revision()).toBe(2)
  },
  "a key that was deleted can be created again": async ({ store }) => {
    await write(store, [put("foo/a", "one")])
    await write(store, [remove("foo/a")])
    await write(store, [put("foo/a", "two")], [{ key: "foo/a", modRevision: 0 }])
    expect(await store.get({ key: "foo/a" })).toMatchObject({ createRevision: 4, modRevision: 4 })
  },
}

const announcements: StoreCases = {
  "what is to happen before a commit has happened before anyone sees it": async ({ store }) => {
    const order: string[] = []
    const watch = await store.watch({
      prefix: "",
      afterRevision: 1,
      onEvents: ({ length }) => length > 0 && order.push("seen"),
      onEnd: () => {},
    })
    await store.commit({ checks: [], writes: [put("foo/a", "one")], beforeWrite: () => order.push("announced") })
    order.push("answered")
    await until(() => order.includes("seen"))
    watch.stop()
    expect(order[0]).toBe("announced")
    expect(order.toSorted()).toEqual(["announced", "answered", "seen"])
  },
}

const updates: StoreCases = {
  "GuaranteedUpdate: put at the revision last seen": async ({ store }) => {
    await write(store, [put("foo/a", "one")])
    await write(store, [put("foo/a", "two")], [{ key: "foo/a", modRevision: 2 }])
    const stored = await store.get({ key: "foo/a" })
    expect(stored).toMatchObject({ createRevision: 2, modRevision: 3 })
    expect(text(stored)).toBe("two")
  },
  "GuaranteedUpdateWithConflict: an older revision changes nothing": async ({ store }) => {
    await write(store, [put("foo/a", "one")])
    await write(store, [put("foo/a", "two")])
    const current = failedOf(await store.commit({ checks: [{ key: "foo/a", modRevision: 2 }], writes: [put("foo/a", "three")] }))
    expect(current.get("foo/a")).toMatchObject({ modRevision: 3 })
    expect(text(await store.get({ key: "foo/a" }))).toBe("two")
  },
  "an update of a deleted key reports it without a value": async ({ store }) => {
    const current = failedOf(await store.commit({ checks: [{ key: "foo/a", modRevision: 7 }], writes: [put("foo/a", "x")] }))
    expect([...current]).toEqual([["foo/a", undefined]])
  },
  UnconditionalDelete: async ({ store }) => {
    await write(store, [put("foo/a", "one")])
    expect(await write(store, [remove("foo/a")])).toBe(3)
    expect(await store.get({ key: "foo/a" })).toBeUndefined()
  },
  "ConditionalDelete and DeleteWithConflict": async ({ store }) => {
    await write(store, [put("foo/a", "one")])
    await write(store, [put("foo/a", "two")])
    const current = failedOf(await store.commit({ checks: [{ key: "foo/a", modRevision: 2 }], writes: [remove("foo/a")] }))
    expect(text(current.get("foo/a"))).toBe("two")
    expect(await write(store, [remove("foo/a")], [{ key: "foo/a", modRevision: 3 }])).toBe(4)
  },
  "deleting a missing key changes nothing": async ({ store }) => {
    await write(store, [put("foo/a", "one")])
    expect(await write(store, [remove("foo/b")])).toBe(2)
    expect(await write(store, [remove("foo/b"), put("foo/a", "two")])).toBe(3)
    expect(await store.revision()).toBe(3)
  },
  "a commit without writes only checks": async ({ store }) => {
    await write(store, [put("foo/a", "one")])
    expect(await write(store, [], [{ key: "foo/a", modRevision: 2 }])).toBe(2)
    expect(failedOf(await store.commit({ checks: [{ key: "foo/a", modRevision: 0 }], writes: [] })).has("foo/a")).toBe(true)
  },
}

const atomicity: StoreCases = {
  "several keys are written at one revision": async ({ store }) => {
    expect(await write(store, [put("foo/a", "1"), put("foo/b", "2"), put("bar/c", "3")])).toBe(2)
    for (const key of ["foo/a", "foo/b", "bar/c"]) expect(await store.get({ key })).toMatchObject({ createRevision: 2, modRevision: 2 })
  },
  "one failed check prevents every write, and all failed ones are reported": async ({ store }) => {
    await write(store, [put("foo/a", "1"), put("foo/b", "2")])
    const checks = [
      { key: "foo/a", modRevision: 1 },
      { key: "foo/b", modRevision: 2 },
      { key: "foo/c", modRevision: 9 },
    ]
    const current = failedOf(await store.commit({ checks, writes: [put("foo/a", "x"), put("foo/d", "y")] }))
    expect([...current.keys()]).toEqual(["foo/a", "foo/c"])
    expect(text(await store.get({ key: "foo/a" }))).toBe("1")
    expect(await store.get({ key: "foo/d" })).toBeUndefined()
  },
  "a check may name a key that is not written": async ({ store }) => {
    await write(store, [put("lock/a", "held")])
    await write(store, [put("foo/a", "1")], [{ key: "lock/a", modRevision: 2 }])
    expect(failedOf(await store.commit({ checks: [{ key: "lock/a", modRevision: 1 }], writes: [remove("foo/a")] })).has("lock/a")).toBe(
      true,
    )
  },
  "of concurrent creates of one key exactly one wins": async ({ store }) => {
    const attempts = Array.from({ length: 50 }, (_, index) =>
      store.commit({ checks: [{ key: "foo/a", modRevision: 0 }], writes: [put("foo/a", `${index}`)] }),
    )
    const results = await Promise.all(attempts)
    const winners = results.flatMap((result, index) => (result.ok ? [index] : []))
    expect(winners).toHaveLength(1)
    expect(text(await store.get({ key: "foo/a" }))).toBe(`${winners[0]}`)
    expect(await store.revision()).toBe(2)
  },
  "concurrent read-check-write loops lose no increment": async ({ store }) => {
    await write(store, [put("foo/counter", "0")])
    async function increment(): Promise<void> {
      const seen = await store.get({ key: "foo/counter" })
      const checks = [{ key: "foo/counter", modRevision: seen?.modRevision ?? 0 }]
      const result = await store.commit({ checks, writes: [put("foo/counter", `${Number(text(seen)) + 1}`)] })
      if (!result.ok) await increment()
    }
    await Promise.all(Array.from({ length: 20 }, increment))
    expect(text(await store.get({ key: "foo/counter" }))).toBe("20")
    expect(await store.revision()).toBe(22)
  },
  "revisions grow by one per commit, also for concurrent commits": async ({ store }) => {
    const revisions = await Promise.all(Array.from({ length: 200 }, (_, index) => write(store, [put(`foo/${index}`, "x")])))
    expect(revisions.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 200 }, (_, index) => index + 2))
  },
}

const values: StoreCases = {
  "Get at a revision shows the key as it was": async ({ store }) => {
    await write(store, [put("foo/a", "one")])
    await write(store, [put("foo/a", "two")])
    await write(store, [remove("foo/a")])
    await write(store, [put("foo/a", "three")])
    const seen = await Promise.all([1, 2, 3, 4, 5].map(async (revision) => text(await store.get({ key: "foo/a", revision }))))
    expect(seen).toEqual([undefined, "one", "two", undefined, "three"])
    expect(await store.get({ key: "foo/a", revision: 3 })).toMatchObject({ createRevision: 2, modRevision: 3 })
    expect(await codeOf(store.get({ key: "foo/a", revision: 6 }))).toBe("future")
  },
  "values are bytes: empty, every byte, and the largest size accepted": async ({ store }) => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index)
    const largest = new Uint8Array(storeLimits.valueBytes).fill(7)
    await write(store, [
      { type: "put", key: "foo/empty", value: new Uint8Array() },
      { type: "put", key: "foo/all", value: all },
    ])
    await write(store, [{ type: "put", key: "foo/largest", value: largest }])
    expect((await store.get({ key: "foo/empty" }))?.value.byteLength).toBe(0)
    expect(Buffer.from((await store.get({ key: "foo/all" }))?.value ?? [])).toEqual(Buffer.from(all))
    expect(Buffer.compare((await store.get({ key: "foo/largest" }))?.value ?? new Uint8Array(), largest)).toBe(0)
  },
  "refuses a value over the limit, and nothing of its commit is written": async ({ store }) => {
    const value = new Uint8Array(storeLimits.valueBytes + 1)
    expect(await codeOf(store.commit({ checks: [], writes: [put("foo/a", "x"), { type: "put", key: "foo/b", value }] }))).toBe("too-large")
    expect(await store.revision()).toBe(1)
  },
  "accepts keys of 1900 bytes, and refuses longer ones": async ({ store }) => {
    const key = `foo/${"k".repeat(storeLimits.keyBytes - 4)}`
    await write(store, [put(key, "x")])
    expect((await store.list({ prefix: "foo/" })).items.map((item) => item.key)).toEqual([key])
    expect(await codeOf(store.commit({ checks: [], writes: [put(`${key}k`, "x")] }))).toBe("too-large")
    expect(await codeOf(store.commit({ checks: [], writes: [put(`foo/${"ä".repeat(949)}`, "x")] }))).toBe("too-large")
  },
  "keys may contain any character": async ({ store }) => {
    for (const key of ["foo/ä", "foo/日本", "foo/😀", "foo/a b", "foo/\u0001", "foo/a:b%2f"]) {
      await write(store, [put(key, key)])
      expect(text(await store.get({ key }))).toBe(key)
    }
  },
  "bytes read earlier do not change when the key is written again": async ({ store }) => {
    await write(store, [put("foo/a", "x".repeat(3000))])
    const before = await store.get({ key: "foo/a" })
    for (let round = 0; round < 50; round++) await write(store, [put("foo/a", "y".repeat(3000))])
    await store.compact({ revision: await store.revision() })
    for (let round = 0; round < 50; round++) await write(store, [put("foo/b", "z".repeat(3000))])
    expect(text(before)).toBe("x".repeat(3000))
  },
}

const timeToLive: StoreCases = {
  "CreateWithTTL: the key is deleted with an ordinary delete event": async ({ store, place }) => {
    const { clock } = place
    await write(store, [put("foo/a", "one", 10)])
    expect((await store.get({ key: "foo/a" }))?.expiresAtMs).toBe(clock.nowMs() + 10_000)
    const watch = await record(store, { afterRevision: 2 })
    clock.advance(9_000)
    await write(store, [put("foo/b", "keeps")])
    expect(text(await store.get({ key: "foo/a" }))).toBe("one")
    clock.advance(2_000)
    await until(() => watch.events.length === 2)
    expect(watch.events[1]).toMatchObject({ type: "delete", key: "foo/a", revision: 4, createRevision: 2 })
    expect(text(watch.events[1]?.previous)).toBe("one")
    expect(await store.get({ key: "foo/a" })).toBeUndefined()
    expect(await store.revision()).toBe(4)
  },
  "GuaranteedUpdateWithTTL: every put sets a new time to live": async ({ store, place }) => {
    const { clock } = place
    await write(store, [put("foo/longer", "1", 5), put("foo/forever", "1", 5), put("foo/deleted", "1", 5), put("foo/due", "1", 20)])
    await write(store, [put("foo/longer", "2", 60), put("foo/forever", "2"), remove("foo/deleted")])
    expect((await store.get({ key: "foo/forever" }))?.expiresAtMs).toBeUndefined()
    const watch = await record(store, { afterRevision: 3 })
    clock.advance(21_000)
    await until(() => watch.events.length > 0)
    expect(watch.events.map((event) => event.key)).toEqual(["foo/due"])
    clock.advance(60_000)
    await until(() => watch.events.length > 1)
    expect(watch.events.map((event) => event.key)).toEqual(["foo/due", "foo/longer"])
    expect((await store.list({ prefix: "foo/" })).items.map((item) => item.key)).toEqual(["foo/forever"])
  },
  "expires keys due together one by one, earliest first": async ({ store, place }) => {
    await write(store, [put("foo/c", "1", 2), put("foo/b", "1", 3), put("foo/a", "1", 3)])
    const watch = await record(store, { afterRevision: 2 })
    place.clock.advance(10_000)
    await until(() => watch.events.length === 3)
    expect(watch.events.map((event) => `${event.key}@${event.revision}`)).toEqual(["foo/c@3", "foo/a@4", "foo/b@5"])
  },
}

export const writeCases: StoreCases = {
  ...creation,
  ...announcements,
  ...updates,
  ...atomicity,
  ...values,
  ...timeToLive,
  "the caller's byte array may be a view of a larger one": async ({ store }) => {
    const slab = bytes("..payload..")
    await write(store, [{ type: "put", key: "foo/a", value: slab.subarray(2, 9) }])
    expect(text(await store.get({ key: "foo/a" }))).toBe("payload")
  },
}
