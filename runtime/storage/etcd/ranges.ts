/** Range reads: keys in etcd's order, in pages of one revision. */
import type { StoredValue, StoreListOptions } from "../store.ts"
import type { Connection } from "./connection.ts"
import type { KeyValue, RangeRequest } from "./protocol.ts"
import { rangeCall } from "./protocol.ts"

/** Maximum number of keys per page. */
const pageKeysMax = 10_000
/** Keys of the first page, whose values may have any size; its sizes determine the length of the next page. */
const firstPageKeys = 500
/** Size of the later pages. etcd builds an answer in memory, and so does this server. */
const pageBytes = 8 * 1024 * 1024

/** The least possible key; as the end of a range: no end. */
export const leastKey = "\0"

/** A range as etcd defines it: from `key` to before `rangeEnd`. */
export interface KeyRange {
  readonly key: string
  readonly rangeEnd: string
}

/** Every key below a prefix that ends with a slash; "" is every key. */
export function rangeOf(prefix: string): KeyRange {
  if (prefix === "") return { key: leastKey, rangeEnd: leastKey }
  return { key: prefix, rangeEnd: `${prefix.slice(0, -1)}${afterSlash}` }
}

/** The character after "/". */
const afterSlash = "0"

/** A key as a value of the `Store` interface. `expiresAtMs` is known for leases of this process. */
export function storedValueOf(kv: KeyValue, expiresAtMs: number | undefined): StoredValue {
  const { key, value, createRevision, modRevision } = kv
  return { key, value, createRevision, modRevision, ...(expiresAtMs !== undefined && { expiresAtMs }) }
}

/** Result of a read. */
export interface RangeResult {
  readonly kvs: readonly KeyValue[]
  readonly revision: number
  readonly more: boolean
}

/** Called for lists of any length, with a valid prefix. Throws RpcError. */
export async function readRange(connection: Connection, options: StoreListOptions): Promise<RangeResult> {
  const { prefix, limit = Number.POSITIVE_INFINITY, startAfter = "" } = options
  const { key: first, rangeEnd } = rangeOf(prefix)
  const kvs: KeyValue[] = []
  let { revision = 0 } = options
  let key = Buffer.compare(Buffer.from(startAfter), Buffer.from(first)) >= 0 ? `${startAfter}\0` : first
  let pageKeys = Math.min(limit, firstPageKeys)
  for (;;) {
    const page = await rangePage(connection, { key, rangeEnd, revision, limit: pageKeys })
    // Later pages read the same revision as the first.
    if (revision === 0) revision = page.revision
    for (const kv of page.kvs) kvs.push(kv)
    const last = page.kvs.at(-1)
    if (!page.more || last === undefined || kvs.length >= limit) return { kvs, revision, more: page.more }
    key = `${last.key}\0`
    pageKeys = Math.min(limit - kvs.length, nextPageKeys(page.kvs))
  }
}

/** Number of keys that fit `pageBytes` if they are as large as the keys of the last page. */
function nextPageKeys(kvs: readonly KeyValue[]): number {
  let size = 0
  for (const { key, value } of kvs) size += key.length + value.byteLength
  const fitting = Math.floor((pageBytes * kvs.length) / Math.max(size, 1))
  return Math.max(1, Math.min(fitting, pageKeysMax))
}

async function rangePage(connection: Connection, request: RangeRequest): Promise<RangeResult> {
  if (isEmpty(request)) return { kvs: [], revision: await newestRevision(connection), more: false }
  const { kvs, header, more } = await connection.call(rangeCall, request)
  return { kvs, revision: header?.revision ?? 0, more }
}

/** Some versions of etcd reject a range that ends before it begins. */
function isEmpty({ key = "", rangeEnd = "" }: RangeRequest): boolean {
  return rangeEnd !== leastKey && Buffer.compare(Buffer.from(key), Buffer.from(rangeEnd)) >= 0
}

/** The revision as a quorum knows it: at least the revision of every commit acknowledged before the call. */
export async function newestRevision(connection: Connection, options: { timeoutMs?: number } = {}): Promise<number> {
  const { header } = await connection.call(rangeCall, { key: leastKey, countOnly: true }, options)
  return header?.revision ?? 0
}

/** Number of keys below a prefix. */
export async function countKeys(connection: Connection, prefix: string): Promise<number> {
  const { count } = await connection.call(rangeCall, { ...rangeOf(prefix), countOnly: true })
  return count
}
