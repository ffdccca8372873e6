/** Runs many small waits concurrently, up to a limit. */
import { SharedTurns } from "./turns.ts"
import { keyWork } from "./work.ts"

export interface ParallelOptions<Item = unknown> {
  /** How many items may run at once; at least 1. */
  readonly atOnce: number
  /** After an abort no new item starts; running ones finish. */
  readonly signal?: AbortSignal
  /** An item's cost for the event loop, in the unit of `Turns`, asked before the item starts. Default `keyWork`. */
  readonly cost?: (item: Item) => number
}

/**
 * Runs `work` for each item. For work that waits for something outside this process; where nothing waits, as in a store
 * in memory, the items still take turns of the event loop. Items start in order. After a failure no new item starts,
 * and the first failure is thrown once all running work has ended.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  { atOnce, cost, signal }: ParallelOptions<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const turns = new SharedTurns()
  let failed: { readonly error: unknown } | undefined
  async function worker(): Promise<void> {
    while (failed === undefined && signal?.aborted !== true) {
      const { done, value } = iterator.next()
      if (done === true) return
      // Before the item starts: otherwise all workers would start one in the same turn.
      const pause = turns.pause(cost?.(value) ?? keyWork)
      if (pause !== undefined) await pause
      try {
        await work(value)
      } catch (error) {
        failed ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker))
  if (failed !== undefined) throw failed.error
}
