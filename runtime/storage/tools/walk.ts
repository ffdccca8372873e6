/** Walks the current values of a store of any driver through the `Store` interface. */
import { createHash } from "node:crypto"
import { compareBytes } from "../../base/byte-order.ts"
import type { Store, StoredValue } from "../store.ts"
import { listPages } from "../watch-cache/list-pages.ts"

export interface WalkOptions {
  /** Ends with "/"; "" = every key. */
  readonly prefix: string
  readonly onValue: (item: StoredValue) => void
  /** Called for a value that no correct store can return. */
  readonly onFault?: (item: StoredValue, what: string) => void
}

export interface StoreWalk {
  /** The revision that was read. */
  readonly revision: number
  readonly keys: number
  /** SHA-256 over keys and values in key order, as `store verify` reports it for embedded stores. */
  readonly contentHash: string
}

const pageKeys = 500

/** Called by `store verify` and `store stats` for stores that other programs keep. Throws StoreError. */
export async function walkStore(store: Store, { prefix, onFault, onValue }: WalkOptions): Promise<StoreWalk> {
  const hash = createHash("sha256")
  let revision = 0
  let keys = 0
  let before: StoredValue | undefined
  for await (const page of listPages(store, { prefix, page: pageKeys })) {
    revision = page.revision
    for (const item of page.items) {
      const { createRevision, key, modRevision, value } = item
      keys++
      hash.update(`${key}\0${value.length}\0`).update(value)
      if (before !== undefined && compareBytes(before.key, key) >= 0) onFault?.(item, `it is out of order: it follows ${before.key}`)
      if (createRevision > modRevision) onFault?.(item, `it was created later, at ${createRevision}`)
      if (modRevision > revision) onFault?.(item, `it is newer than the store, which is at ${revision}`)
      onValue(item)
      before = item
    }
  }
  return { revision, keys, contentHash: hash.digest("hex") }
}
