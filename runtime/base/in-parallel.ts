/** Runs many small waits concurrently, up to a limit. */

export interface ParallelOptions {
  /** How many items may run at once; at least 1. */
  readonly atOnce: number
  /** After an abort no new item starts; running ones finish. */
  readonly signal?: AbortSignal
}

/**
 * Runs `work` for each item. For work that waits for something outside this process. Items start in order. After a
 * failure no new item starts, and the first failure is thrown once all running work has ended.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  { atOnce, signal }: ParallelOptions,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  let failed: { readonly error: unknown } | undefined
  async function worker(): Promise<void> {
    while (failed === undefined && signal?.aborted !== true) {
      const { done, value } = iterator.next()
      if (done === true) return
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
