/**
 * Reads the objects of one resource from the store, page by page and directly into the map: a fill never holds the
 * resource twice.
 */
import type { Store } from "../store.ts"
import { CachedEntry } from "./entry.ts"
import type { EntryContext } from "./entry.ts"
import { ObjectMap } from "./object-map.ts"
import type { CacheLimits } from "./options.ts"
import { listPages } from "./list-pages.ts"
import type { Objects } from "./objects.ts"

interface FillOptions {
  readonly keyPrefix: string
  readonly store: Store
  readonly limits: CacheLimits
  readonly context: EntryContext
  readonly owns: (key: string) => boolean
  /** The previous state; versions that are still the newest are kept with their JSON and encodings. */
  readonly known: Objects
}

/**
 * Called for the first fill and whenever a resource starts over. Resolves with one state and its revision; throws the
 * store's errors.
 */
export async function readObjects(options: FillOptions): Promise<{ objects: Objects; revision: number }> {
  const objects: CachedEntry[] = []
  const filling = options.context.arena.beginFill()
  try {
    const revision = await readInto(objects, options, (value) => filling.copy(value))
    return { objects: ObjectMap.of(objects), revision }
  } catch (error) {
    // The objects read so far are unused: they must not count as current and keep slabs alive.
    for (const object of objects) if (options.known.get(object.key) !== object) object.retire()
    throw error
  } finally {
    filling.end()
  }
}

async function readInto(objects: CachedEntry[], options: FillOptions, copy: (value: Uint8Array) => Uint8Array): Promise<number> {
  const { context, keyPrefix, known, limits, owns, store } = options
  let shown = 0
  for await (const { items, revision } of listPages(store, { prefix: keyPrefix, page: limits.fillPage, copy })) {
    shown = revision
    for (const { createRevision, key, modRevision, value } of items) {
      if (!owns(key)) continue
      const before = known.get(key)
      const object = before?.modRevision === modRevision ? before : new CachedEntry(context, key, createRevision, modRevision, value)
      if (object !== before) object.enter()
      objects.push(object)
    }
  }
  return shown
}

/** Called with objects that are discarded: objects not in `kept` stop being current. */
export function retireAllBut(kept: Objects, objects: Objects): void {
  for (const object of objects.all()) if (kept.get(object.key) !== object) object.retire()
}
