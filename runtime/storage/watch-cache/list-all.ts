import type { Store, StoredValue } from "../store.ts"

/**
 * Called to fill a resource, to verify it, and to rebuild a state older than the event window. All pages show one
 * revision. Throws what the store throws: "compacted" when that revision was forgotten meanwhile (begin again).
 */
export async function listAll(
  store: Store,
  { prefix, page, revision }: { prefix: string; page: number; revision?: number },
): Promise<{ items: readonly StoredValue[]; revision: number }> {
  const first = await store.list({ prefix, limit: page, ...(revision !== undefined && { revision }) })
  const items = [...first.items]
  let { more } = first
  while (more) {
    const startAfter = items.at(-1)?.key
    const next = await store.list({ prefix, limit: page, revision: first.revision, ...(startAfter !== undefined && { startAfter }) })
    for (const item of next.items) items.push(item)
    more = next.more
  }
  return { items, revision: first.revision }
}
