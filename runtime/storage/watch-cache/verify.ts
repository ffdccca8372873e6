/** The cache's check of itself: the same keys at the same revisions as the store, compared by hash. */
import { createHash } from "node:crypto"
import type { Snapshot } from "../cache.ts"
import type { Store } from "../store.ts"
import { pages } from "./pages.ts"
import { asStoreError } from "./store-feed.ts"

/** The outcome for one resource; hashes differ when it does not match. */
export interface Verification {
  /** Storage path. */
  readonly resource: string
  readonly matches: boolean
  /** The revision at which both sides were compared. */
  readonly revision: number
  readonly cacheHash: string
  readonly storeHash: string
}

interface Verifiable {
  readonly path: string
  readonly keyPrefix: string
  snapshot(): Snapshot
}

/** How often a comparison begins again because the store forgot its revision meanwhile. */
const attempts = 3

/** Called for one filled resource. Reads the resource from the store page by page; throws StoreError when the store cannot be read. */
export async function verifyResource(
  store: Store,
  resource: Verifiable,
  options: { page: number; owns: (key: string) => boolean },
): Promise<Verification> {
  for (let attempt = 1; ; attempt++) {
    const snapshot = resource.snapshot()
    const { revision } = snapshot
    try {
      const storeHash = await hashOfStore(store, { prefix: resource.keyPrefix, revision, ...options })
      const cacheHash = hashOf(snapshot.entries({ prefix: "" }))
      return { resource: resource.path, matches: cacheHash === storeHash, revision, cacheHash, storeHash }
    } catch (error) {
      if (asStoreError(error).code !== "compacted" || attempt === attempts) throw error
    }
  }
}

async function hashOfStore(
  store: Store,
  options: { prefix: string; revision: number; page: number; owns: (key: string) => boolean },
): Promise<string> {
  const { owns, page, prefix, revision } = options
  const hash = createHash("sha256")
  for await (const { items } of pages(store, { prefix, revision, page })) {
    for (const { key, modRevision } of items) if (owns(key)) hash.update(`${key}\0${modRevision}\n`)
  }
  return hash.digest("hex")
}

function hashOf(objects: Iterable<{ readonly key: string; readonly modRevision: number }>): string {
  const hash = createHash("sha256")
  for (const { key, modRevision } of objects) hash.update(`${key}\0${modRevision}\n`)
  return hash.digest("hex")
}
