/** Lists: order, pages, prefixes and the past. */
import { expect } from "vitest"
import type { Store, StoreListOptions } from "../../runtime/storage/store.ts"
import { codeOf, put, remove, text, write } from "./store-fixture.ts"
import type { StoreCases } from "./store-cases.ts"

async function keys(store: Store, options: StoreListOptions): Promise<string[]> {
  return (await store.list(options)).items.map((item) => item.key)
}

export const listCases: StoreCases = {
  "List: everything below the prefix, in key order, with revisions and values": async ({ store }) => {
    await write(store, [put("foo/b", "2"), put("foo/a", "1")])
    await write(store, [put("foo/b", "3")])
    const { items, revision, more } = await store.list({ prefix: "foo/" })
    expect(items.map((item) => `${item.key}=${text(item)}@${item.createRevision},${item.modRevision}`)).toEqual([
      "foo/a=1@2,2",
      "foo/b=3@2,3",
    ])
    expect({ revision, more }).toEqual({ revision: 3, more: false })
  },
  "an empty list still has a revision": async ({ store }) => {
    await write(store, [put("foo/a", "1")])
    expect(await store.list({ prefix: "bar/" })).toEqual({ items: [], revision: 2, more: false })
  },
  "GetListRecursivePrefix: foo/ is not foobar/": async ({ store }) => {
    await write(
      store,
      ["foo/a", "foo/bar/b", "foobar/c", "foo", "foo!", "foo0", "fo/d", "foo/ÿ"].map((key) => put(key, key)),
    )
    expect(await keys(store, { prefix: "foo/" })).toEqual(["foo/a", "foo/bar/b", "foo/ÿ"])
    expect(await keys(store, { prefix: "foo/bar/" })).toEqual(["foo/bar/b"])
    expect(await keys(store, { prefix: "" })).toHaveLength(8)
    await expect(store.list({ prefix: "foo" })).rejects.toThrow("a prefix ends with a slash")
  },
  "keys are ordered by their bytes": async ({ store }) => {
    const names = ["Z", "a", "a!", "a-b", "a.b", "a/b", "aa", "b", "ä", "\ufb01", "\uffee", "😀", "a\u0001", "a\u0001b"]
    await write(
      store,
      names.map((name) => put(`foo/${name}`, name)),
    )
    const expected = names.map((name) => `foo/${name}`).toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    expect(await keys(store, { prefix: "foo/" })).toEqual(expected)
  },
  "ListPaging: pages after a key, at the revision of the first": async ({ store }) => {
    for (const name of ["a", "b", "c", "d", "e"]) await write(store, [put(`foo/${name}`, "1")])
    const first = await store.list({ prefix: "foo/", limit: 2 })
    expect(first).toMatchObject({ revision: 6, more: true })
    await write(store, [remove("foo/c"), put("foo/bb", "new"), put("foo/d", "2")])
    const { revision } = first
    const second = await store.list({ prefix: "foo/", limit: 2, startAfter: "foo/b", revision })
    expect(second.items.map((item) => `${item.key}=${text(item)}`)).toEqual(["foo/c=1", "foo/d=1"])
    expect(second).toMatchObject({ revision, more: true })
    const last = await store.list({ prefix: "foo/", limit: 2, startAfter: "foo/d", revision })
    expect(last.items.map((item) => item.key)).toEqual(["foo/e"])
    expect(last.more).toBe(false)
  },
  "ListInconsistentContinuation: a page of the present state": async ({ store }) => {
    await write(
      store,
      ["a", "b", "c"].map((name) => put(`foo/${name}`, "1")),
    )
    await write(store, [remove("foo/b"), put("foo/bb", "2")])
    expect(await keys(store, { prefix: "foo/", startAfter: "foo/b" })).toEqual(["foo/bb", "foo/c"])
  },
  "a limit that is reached exactly leaves no more": async ({ store }) => {
    await write(store, [put("foo/a", "1"), put("foo/b", "1"), put("foo/c", "1"), put("goo/d", "1")])
    await write(store, [remove("foo/c")])
    expect(await store.list({ prefix: "foo/", limit: 2 })).toMatchObject({ more: false })
    expect(await store.list({ prefix: "foo/", limit: 2, revision: 2 })).toMatchObject({ more: true })
    expect(await store.list({ prefix: "foo/", limit: 1 })).toMatchObject({ more: true })
  },
  "startAfter may be a missing key, or beyond the prefix": async ({ store }) => {
    await write(store, [put("foo/a", "1"), put("foo/c", "1")])
    expect(await keys(store, { prefix: "foo/", startAfter: "foo/b" })).toEqual(["foo/c"])
    expect(await keys(store, { prefix: "foo/", startAfter: "aaa" })).toEqual(["foo/a", "foo/c"])
    expect(await keys(store, { prefix: "foo/", startAfter: "goo/a" })).toEqual([])
  },
  "ListResourceVersionMatch: every revision since the beginning": async ({ store }) => {
    await write(store, [put("foo/a", "1")])
    await write(store, [put("foo/b", "1")])
    await write(store, [put("foo/a", "2")])
    await write(store, [remove("foo/b")])
    const seen: string[] = []
    for (let revision = 1; revision <= 5; revision++) {
      const { items } = await store.list({ prefix: "foo/", revision })
      seen.push(items.map((item) => `${item.key}=${text(item)}`).join(" "))
    }
    expect(seen).toEqual(["", "foo/a=1", "foo/a=1 foo/b=1", "foo/a=2 foo/b=1", "foo/a=2"])
    expect(await codeOf(store.list({ prefix: "foo/", revision: 6 }))).toBe("future")
  },
  "ConsistentList: a list shows every commit acknowledged before": async ({ store }) => {
    for (let index = 0; index < 30; index++) {
      const revision = await write(store, [put(`foo/${index}`, "1")])
      const listed = await store.list({ prefix: "foo/" })
      expect(listed.items).toHaveLength(index + 1)
      expect(listed.revision).toBeGreaterThanOrEqual(revision)
    }
  },
  "a large list is one snapshot while writers go on": async ({ store }) => {
    const pad = "x".repeat(200)
    for (let batch = 0; batch < 5; batch++) {
      await write(
        store,
        Array.from({ length: 1000 }, (_, index) => put(`foo/${batch}-${String(index).padStart(4, "0")}`, pad)),
      )
    }
    const listing = store.list({ prefix: "foo/" })
    const writing = Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        write(store, [remove(`foo/4-${String(index).padStart(4, "0")}`), put(`foo/5-${index}`, "new")]),
      ),
    )
    const { items, revision } = await listing
    await writing
    const again = await store.list({ prefix: "foo/", revision })
    expect(items.map((item) => `${item.key}@${item.modRevision}`)).toEqual(again.items.map((item) => `${item.key}@${item.modRevision}`))
  },
}
