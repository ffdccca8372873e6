/**
 * Creations in flight, by namespace. A creation that was admitted in a live namespace may reach the store after the
 * namespace has started terminating. The namespace controller waits for these creations before it lists the objects to
 * delete, so none is missed, and so does the controller of definitions. Each creation costs two entries in memory, and
 * no read, store check or conflict with changes to the namespace.
 */

export class InFlightCreates {
  private readonly underWay = new Map<string, Set<Promise<unknown>>>()

  /** Wraps admission and commit of every creation. */
  async track<Result>(namespace: string, work: () => Promise<Result>): Promise<Result> {
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

  /**
   * Resolves when every creation now in flight in the namespace has succeeded or failed. Without a namespace: all
   * creations of all kinds, as the end of a definition needs.
   */
  async drained(namespace?: string): Promise<void> {
    const all = namespace === undefined ? [...this.underWay.values()].flatMap((running) => [...running]) : this.underWay.get(namespace)
    await Promise.allSettled(all ?? [])
  }
}
