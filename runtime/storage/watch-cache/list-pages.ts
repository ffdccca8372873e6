import type { Store, StoredValue } from "../store.ts"

/**
 * Called to fill a resource, to verify it, and to rebuild a state older than the event window. All pages show one
 * revision: the given one, or the first page's. Throws the store's errors: "compacted" when that revision was compacted
 * meanwhile (begin again).
 */
export async function* listPages(
  store: Store,
  options: { prefix: string; page: number; revision?: number; copy?: (value: Uint8Array) => Uint8Array },
): AsyncGenerator<{ items: readonly StoredValue[]; revision: number }, void, undefined> {
  const { copy, page: limit, prefix } = options
  let { revision } = options
  let startAfter: string | undefined
  for (let more = true; more; ) {
    const found = await store.list({
      prefix,
      limit,
      ...(revision !== undefined && { revision }),
      ...(startAfter !== undefined && { startAfter }),
      ...(copy !== undefined && { copy }),
    })
    yield { items: found.items, revision: found.revision }
    revision = found.revision
    startAfter = found.items.at(-1)?.key
    more = found.more && startAfter !== undefined
  }
}
