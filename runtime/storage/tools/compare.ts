/** Compares the contents of two stores, key by key and value by value. */
import { createHash } from "node:crypto"
import type { Store, StoredValue } from "../store.ts"
import { compareBytes } from "../../base/byte-order.ts"
import { StoreError } from "../store.ts"
import { listPages } from "../watch-cache/list-pages.ts"

export interface CompareOptions {
  readonly source: Store
  readonly target: Store
  /** Ends with "/". */
  readonly prefix: string
  readonly nowMs: () => number
  /** A key of the target to leave out. */
  readonly ignore?: string
}

export interface Comparison {
  readonly keys: number
  /** Sum of the sizes of values. */
  readonly bytes: number
  /** SHA-256 over keys and values in key order, as an inspection computes it (lmdb/inspect.ts). */
  readonly contentHash: string
}

const pageKeys = 500
/** Drivers expire values at their own pace: from this long before its end, a value may be missing on either side. */
const expirySlackMs = 10_000
/** Number of differences that the error message names. */
const shownMax = 5

/**
 * Called after a copy: reads the present state of both stores. Throws StoreError "unavailable" that names the first
 * differences.
 */
export async function compareStores({ source, target, prefix, nowMs, ignore }: CompareOptions): Promise<Comparison> {
  const differences: string[] = []
  let different = 0
  const totals = { keys: 0, bytes: 0 }
  const hash = createHash("sha256")
  function differ(text: string): void {
    different++
    if (differences.length < shownMax) differences.push(text)
  }
  const mayBeGone = (item: StoredValue): boolean => item.expiresAtMs !== undefined && item.expiresAtMs <= nowMs() + expirySlackMs
  for await (const { left, right } of joined(source, target, prefix)) {
    if (left === undefined) {
      if (right !== undefined && right.key !== ignore && !mayBeGone(right)) differ(`${right.key} is in the target only`)
      continue
    }
    if (right === undefined && mayBeGone(left)) continue
    totals.keys++
    totals.bytes += left.value.length
    hash.update(`${left.key}\0${left.value.length}\0`).update(left.value)
    if (right === undefined) differ(`${left.key} is in the source only`)
    else if (!Buffer.from(left.value).equals(right.value)) differ(`${left.key} has another value in the target`)
    else if ((left.expiresAtMs === undefined) !== (right.expiresAtMs === undefined))
      differ(`${left.key} has its time to live on one side only`)
  }
  if (different > 0) {
    const more = different > differences.length ? ` and ${different - differences.length} more` : ""
    throw new StoreError(
      "unavailable",
      `the copy differs from its source: ${differences.join("; ")}${more}. Was the source written to meanwhile?`,
    )
  }
  return { ...totals, contentHash: hash.digest("hex") }
}

/** Merges both stores in key order. */
async function* joined(
  source: Store,
  target: Store,
  prefix: string,
): AsyncGenerator<{ left?: StoredValue; right?: StoredValue }, void, undefined> {
  const lefts = items(source, prefix)
  const rights = items(target, prefix)
  let left = (await lefts.next()).value
  let right = (await rights.next()).value
  while (left !== undefined || right !== undefined) {
    const order = left === undefined ? 1 : right === undefined ? -1 : compareBytes(left.key, right.key)
    yield { ...(left !== undefined && order <= 0 && { left }), ...(right !== undefined && order >= 0 && { right }) }
    if (order <= 0) left = (await lefts.next()).value
    if (order >= 0) right = (await rights.next()).value
  }
}

async function* items(store: Store, prefix: string): AsyncGenerator<StoredValue, undefined, undefined> {
  for await (const page of listPages(store, { prefix, page: pageKeys })) yield* page.items
  return undefined
}
