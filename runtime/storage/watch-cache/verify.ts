/** Compares the cache with the store: the same keys at the same revisions, by hash. */
import type { Snapshot } from "../cache.ts"
import type { Store } from "../store.ts"
import { Digest } from "./digest.ts"
import { listPages } from "./list-pages.ts"
import { asStoreError } from "./store-feed.ts"
import type { Verification } from "./verification.ts"

interface Verifiable {
  readonly path: string
  readonly keyPrefix: string
  snapshot(): Snapshot
}

interface VerifyOptions {
  /** Objects per read of the store; as many of the cache are visited between two reads. */
  readonly page: number
  readonly owns: (key: string) => boolean
}

/** How often a comparison begins again because the store compacted its revision meanwhile. */
const attempts = 3

/** Only keys and revisions are compared: values need not be copied out of the store's memory. */
const noValue = new Uint8Array()

/**
 * Called for one filled resource. Reads the resource from the store page by page; throws StoreError when the store
 * cannot be read.
 */
export async function verifyResource(store: Store, resource: Verifiable, options: VerifyOptions): Promise<Verification> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await compare(store, resource, options)
    } catch (error) {
      if (asStoreError(error).code !== "compacted" || attempt === attempts) throw error
    }
  }
}

/** Compares in steps of a page, so that other work gets its turn however large the resource is. */
async function compare(store: Store, resource: Verifiable, { owns, page }: VerifyOptions): Promise<Verification> {
  const snapshot = resource.snapshot()
  const { revision } = snapshot
  const cached = snapshot.entries({ prefix: "" })[Symbol.iterator]()
  const [cacheDigest, storeDigest] = [new Digest(), new Digest()]
  for await (const { items } of listPages(store, { prefix: resource.keyPrefix, revision, page, copy: () => noValue })) {
    for (const item of items) if (owns(item.key)) storeDigest.add(item)
    for (let left = items.length; left > 0; left--) addNext(cached, cacheDigest)
  }
  while (addNext(cached, cacheDigest));
  const [cacheHash, storeHash] = [cacheDigest.text(), storeDigest.text()]
  return { resource: resource.path, matches: cacheHash === storeHash, revision, cacheHash, storeHash }
}

function addNext(objects: Iterator<{ readonly key: string; readonly modRevision: number }>, digest: Digest): boolean {
  const { done, value } = objects.next()
  if (done === true) return false
  digest.add(value)
  return true
}
