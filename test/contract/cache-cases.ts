/** Types of the cases of the watch cache's contract. */
import type { CacheLimits } from "../../runtime/storage/watch-cache/options.ts"
import type { WatchCache } from "../../runtime/storage/watch-cache/watch-cache.ts"
import type { UnreliableStore } from "./cache-unreliable.ts"
import type { StorePlace } from "./store-fixture.ts"

/** Fixture of a case: an empty store behind switchable faults, all off, and caches over it. */
export interface CacheCaseContext {
  readonly store: UnreliableStore
  readonly place: StorePlace
  /** Opens another cache over the same store, as a restarted server would. Closed and verified after the case. */
  open(limits?: Partial<CacheLimits>): WatchCache
}

export type CacheCases = Readonly<Record<string, (context: CacheCaseContext) => Promise<void>>>
