/** Many small waits at once, within bounds. */

export interface ParallelOptions {
  /** How many may be under way together; at least 1. */
  readonly atOnce: number
  /** Nothing new is begun once it is aborted; what is under way ends as it ends. */
  readonly signal?: AbortSignal
}

/**
 * Called with work that waits for something else than this process. Items are begun in order. After the first failure nothing new is begun;
 * it is thrown when all that was begun has ended.
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
