/**
 * Creations under way, by namespace. One that was admitted while its namespace was alive may reach the store after the namespace has begun to
 * go; who empties the namespace waits for these first, so that nothing can land behind it. Costs a creation two entries in memory: no read, no
 * check in the store, and no conflict when the namespace itself is changed.
 */

export class InFlightCreates {
  private readonly underWay = new Map<string, Set<Promise<unknown>>>()

  /** Called around admission and commit of every creation, one after the other. `namespace` "": nobody waits for it. */
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

  /** Resolves when every creation that is under way in the namespace now has ended, however it ended. */
  async drained(namespace: string): Promise<void> {
    await Promise.allSettled(this.underWay.get(namespace) ?? [])
  }
}
