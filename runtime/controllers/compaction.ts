/** Compacts the store at intervals: without it the store would grow with every write. */
import type { Clock } from "../base/clock.ts"
import { type Store, StoreError } from "../storage/store.ts"
import { runEvery } from "./interval.ts"
import { errorText } from "../base/error-text.ts"
import type { Log, Controller } from "./controller.ts"

/**
 * Called once at start with `--store-compaction-interval`; 0 turns compaction off. Each run compacts to the revision
 * that the previous run saw, so that watches and pages stay valid for at least one interval.
 */
export function startCompaction(options: { store: Store; clock: Clock; log: Log; intervalMs: number }): Controller {
  const { store, clock, log, intervalMs } = options
  if (intervalMs <= 0) return { stop: async () => {} }
  let seen = 0
  return runEvery({
    clock,
    intervalMs,
    atOnce: true,
    async task() {
      const revision = await store.revision()
      const due = seen > 0 && seen < revision
      if (due && (await store.acquireCompactionTurn?.(revision)) !== false) await compactTo(store, seen)
      seen = revision
    },
    onError: (error) => log.warn({ error: errorText(error) }, "the store could not be compacted; tried again later"),
  })
}

/** Another server may have compacted further already. */
async function compactTo(store: Store, revision: number): Promise<void> {
  try {
    await store.compact({ revision })
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "compacted")) throw error
  }
}
