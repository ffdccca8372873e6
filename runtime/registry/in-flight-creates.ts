/**
 * Creations in flight, by namespace. A creation that was admitted in a live namespace may reach the store after the
 * namespace has started terminating. The namespace controller waits for these creations before it lists what to delete,
 * so none is missed. Each creation costs two entries in memory, and no read, store check or conflict with changes to
 * the namespace.
 */

export class InFlightCreates {
  private readonly underWay = new Map<string, Set<Promise<unknown>>>()

  /** Wraps admission and commit of every creation. A `namespace` of "" is not tracked: no controller waits for it. */
  async track<Result>(namespace: string, work: () => Promise<Result>): Promise<Result> {
    if (namespace === "") return work()
    const running = work()
    const all = this.underWay.get(namespace) ?? new Set()
    this.underWay.set(namespace, all.add(running))
    try {
      return await running
    } finally {
      all.delete(running)
      if (all.size === 0) this.underWay.delete(namespace)
    }
  }

  /** Resolves when every creation now in flight in the namespace has succeeded or failed. */
  async drained(namespace: string): Promise<void> {
    await Promise.allSettled(this.underWay.get(namespace) ?? [])
  }
}
