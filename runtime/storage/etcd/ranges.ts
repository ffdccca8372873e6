/** Reads: keys as etcd orders them, in pages of one revision. */
import type { StoredValue, StoreListOptions } from "../store.ts"
import type { Connection } from "./connection.ts"
import type { KeyValue, RangeRequest } from "./protocol.ts"
import { rangeCall } from "./protocol.ts"

/** Keys of one answer, whatever their size. */
const pageKeysMax = 10_000
/** Keys of an answer whose values may be of any size; the next page is sized by what they were. */
const firstPageKeys = 500
/** What the answers after it should have. etcd builds an answer in memory, and so do we. */
const pageBytes = 8 * 1024 * 1024

/** The least key of all, and as an end of a range: no end. */
export const leastKey = "\0"

/** A range of etcd's: from `key` on, up to and without `rangeEnd`. */
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

/** A key as the store's port has it. `expiresAtMs` is known of leases that this process asked for. */
export function storedValueOf(kv: KeyValue, expiresAtMs: number | undefined): StoredValue {
  const { key, value, createRevision, modRevision } = kv
  return { key, value, createRevision, modRevision, ...(expiresAtMs !== undefined && { expiresAtMs }) }
}

/** What a read found. */
export interface RangeResult {
  readonly kvs: readonly KeyValue[]
  readonly revision: number
  readonly more: boolean
}

/** Called for lists of any length, with a prefix that was checked. Throws RpcError. */
export async function readRange(connection: Connection, options: StoreListOptions): Promise<RangeResult> {
  const { prefix, limit = Number.POSITIVE_INFINITY, startAfter = "" } = options
  const { key: first, rangeEnd } = rangeOf(prefix)
  const kvs: KeyValue[] = []
  let { revision = 0 } = options
  let key = Buffer.compare(Buffer.from(startAfter), Buffer.from(first)) >= 0 ? `${startAfter}\0` : first
  let pageKeys = Math.min(limit, firstPageKeys)
  for (;;) {
    const page = await rangePage(connection, { key, rangeEnd, revision, limit: pageKeys })
    // Later pages show what the first one showed.
    if (revision === 0) revision = page.revision
    for (const kv of page.kvs) kvs.push(kv)
    const last = page.kvs.at(-1)
    if (!page.more || last === undefined || kvs.length >= limit) return { kvs, revision, more: page.more }
    key = `${last.key}\0`
    pageKeys = Math.min(limit - kvs.length, nextPageKeys(page.kvs))
  }
}

/** As many as fit `pageBytes` if they are as large as those of the last page. */
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

/** A range that ends before it begins is a mistake to some versions of etcd. */
function isEmpty({ key = "", rangeEnd = "" }: RangeRequest): boolean {
  return rangeEnd !== leastKey && Buffer.compare(Buffer.from(key), Buffer.from(rangeEnd)) >= 0
}

/** Asked of a quorum: what was acknowledged to anybody before the call is in it. */
export async function newestRevision(connection: Connection, options: { timeoutMs?: number } = {}): Promise<number> {
  const { header } = await connection.call(rangeCall, { key: leastKey, countOnly: true }, options)
  return header?.revision ?? 0
}

/** How many keys there are below a prefix. */
export async function countKeys(connection: Connection, prefix: string): Promise<number> {
  const { count } = await connection.call(rangeCall, { ...rangeOf(prefix), countOnly: true })
  return count
}
