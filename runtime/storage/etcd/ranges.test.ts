import fc from "fast-check"
import { expect, test } from "vitest"
import type { Connection } from "./connection.ts"
import type { KeyValue, RangeRequest } from "./protocol.ts"
import { rangeOf, readRange } from "./ranges.ts"

/** A connection to an etcd with these keys; it notes the requests. */
function etcdOf(keys: readonly string[], revision = 50, valueBytes = 1) {
  const asked: RangeRequest[] = []
  const sorted = keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  const call = async (_call: unknown, request: RangeRequest): Promise<unknown> => {
    asked.push(request)
    const { key = "", rangeEnd = "", limit = 0 } = request
    if (rangeEnd === "") return { kvs: [], header: { revision }, more: false, count: 0 }
    const isWithin = (one: string): boolean => one >= key && (rangeEnd === "\0" || one < rangeEnd)
    const found = sorted.filter(isWithin)
    const page = limit === 0 ? found : found.slice(0, limit)
    const value = new Uint8Array(valueBytes)
    const kvs = page.map((one): KeyValue => ({ key: one, value, createRevision: 1, modRevision: 2, version: 1, lease: 0n }))
    return {
      kvs,
      header: { revision: request.revision === 0 ? revision : revision + 7 },
      more: page.length < found.length,
      count: found.length,
    }
  }
  return { asked, connection: { call } as unknown as Connection }
}

const names = (count: number): string[] => Array.from({ length: count }, (_none, index) => `/r/a/${String(index).padStart(5, "0")}`)

test.each([
  { limit: 1, pages: [1] },
  { limit: 499, pages: [499] },
  { limit: 500, pages: [500] },
  { limit: 501, pages: [500, 1] },
  { limit: 3000, pages: [500, 2500] },
  { limit: undefined, pages: [500, 10_000] },
])("a limit of $limit is asked for in pages of $pages, and no more is returned", async ({ limit, pages }) => {
  const { asked, connection } = etcdOf(names(4000))
  const { kvs, more, revision } = await readRange(connection, { prefix: "/r/a/", ...(limit !== undefined && { limit }) })
  expect(asked.map((request) => request.limit)).toEqual(pages)
  expect([kvs.length, more, revision]).toEqual([limit ?? 4000, limit !== undefined, 50])
  expect(kvs.map(({ key }) => key)).toEqual(names(4000).slice(0, limit))
  // All pages have the revision of the first.
  expect(new Set(asked.slice(1).map((request) => request.revision))).toEqual(new Set(pages.length === 1 ? [] : [50]))
})

test("pages of large values have fewer keys", async () => {
  const { asked, connection } = etcdOf(names(600), 50, 1024 * 1024)
  const { kvs } = await readRange(connection, { prefix: "/r/a/" })
  expect([kvs.length, asked[1]?.limit, asked.length]).toEqual([600, 7, 2 + Math.ceil(100 / 7) - 1])
})

test("exactly the keys of a prefix behind a key are read, whatever stands beside them", async () => {
  const segment = fc.constantFrom("a", "a0", "b", "a-", "a.")
  const key = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `/r/${parts.join("/")}`)
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(key, { maxLength: 20 }),
      segment,
      fc.option(key, { nil: "" }),
      fc.integer({ min: 1, max: 5 }),
      async (keys, part, startAfter, limit) => {
        const prefix = `/r/${part}/`
        const { kvs, more } = await readRange(etcdOf(keys).connection, { prefix, startAfter, limit })
        const all = keys.filter((one) => one.startsWith(prefix) && one > startAfter).toSorted()
        expect([kvs.map((kv) => kv.key), more]).toEqual([all.slice(0, limit), all.length > limit])
      },
    ),
  )
  expect(rangeOf("")).toEqual({ key: "\0", rangeEnd: "\0" })
})
