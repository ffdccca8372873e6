/**
 * States older than the event window, read from the store while it still has them: for a paged list that outlives a
 * restart. Rare and as large as the resource, so only the last few are kept, and not for long.
 */
import type { Clock } from "../../base/clock.ts"
import type { Snapshot } from "../cache.ts"
import type { Store } from "../store.ts"
import { CachedEntry } from "./entry.ts"
import type { EntryContext } from "./entry.ts"
import { listPages } from "./list-pages.ts"
import { ObjectMap } from "./object-map.ts"
import type { CacheLimits } from "./options.ts"
import { asStoreError } from "./store-feed.ts"
import type { Objects } from "./objects.ts"

interface StoredSnapshotOptions {
  readonly keyPrefix: string
  readonly store: Store
  readonly clock: Clock
  readonly limits: CacheLimits
  readonly context: EntryContext
  readonly owns: (key: string) => boolean
  readonly pastSnapshot: (revision: number, objects: Objects) => Snapshot
}

/** One per resource. */
export class StoredSnapshots {
  private kept: { readonly revision: number; readonly atMs: number; readonly snapshot: Promise<Snapshot | undefined> }[] = []

  constructor(private readonly options: StoredSnapshotOptions) {}

  /**
   * The state at `revision`; undefined when the store has compacted it. Objects with the same version are shared with
   * `current`.
   */
  at(revision: number, current: Objects): Promise<Snapshot | undefined> {
    const { clock, limits } = this.options
    const found = this.kept.find((each) => each.revision === revision)
    if (found !== undefined) return found.snapshot
    const snapshot = this.read(revision, current)
    const entry = { revision, atMs: clock.elapsedMs(), snapshot }
    this.kept = [...this.kept, entry].slice(-limits.storedSnapshots)
    // A failed read is not kept; its callers get the error.
    snapshot.catch(() => {
      this.kept = this.kept.filter((each) => each !== entry)
    })
    return snapshot
  }

  /** Called periodically: no client pages through a list for longer than the window lasts. */
  trim(elapsedMs: number): void {
    if (this.kept.length > 0) this.kept = this.kept.filter((each) => elapsedMs - each.atMs <= this.options.limits.windowMs)
  }

  private async read(revision: number, current: Objects): Promise<Snapshot | undefined> {
    const { context, keyPrefix, limits, owns, pastSnapshot: shown, store } = this.options
    try {
      const objects: Objects = ObjectMap.empty()
      for await (const { items } of listPages(store, { prefix: keyPrefix, page: limits.fillPage, revision })) {
        for (const { createRevision, key, modRevision, value } of items) {
          if (!owns(key)) continue
          const known = current.get(key)
          objects.set(known?.modRevision === modRevision ? known : new CachedEntry(context, key, createRevision, modRevision, value))
        }
      }
      return shown(revision, objects)
    } catch (error) {
      const { code } = asStoreError(error)
      if (code === "compacted" || code === "future") return undefined
      throw error
    }
  }
}
