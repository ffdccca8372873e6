/** The open watches of one store. */
import { StoreError, type WatchOptions } from "../store.ts"
import { type WatchDeps, EtcdWatch } from "./watch.ts"

/**
 * How long a commit waits for its own events. etcd sends them when it answers the commit, so the limit only matters for
 * a watch that is stuck; reads that must see the write then wait for its revision.
 */
const ownEventsTimeoutMs = 1000

/** One per store. */
export class Watches {
  private readonly open = new Set<EtcdWatch>()

  constructor(private readonly deps: WatchDeps) {}

  /** Called with a revision that was found to be readable. Throws StoreError. */
  async watch(options: WatchOptions): Promise<{ stop(): void }> {
    const watching: EtcdWatch = new EtcdWatch(this.deps, options, () => this.open.delete(watching))
    this.open.add(watching)
    await watching.open()
    return { stop: () => watching.stop() }
  }

  /** Whether every watch can learn that it has reached a revision without an event of its own there. */
  get reportProgress(): boolean {
    for (const watching of this.open) if (!watching.tellsProgress) return false
    return true
  }

  /** Called when a caller got `revision` and will wait for watches to reach it. */
  reach(revision: number): void {
    for (const watching of this.open) watching.expectRevision(revision)
  }

  /** The same where only a write may advance the watches. */
  bringTo(revision: number): void {
    for (const watching of this.open) watching.advanceTo(revision)
  }

  /**
   * Called with a commit's revision and the keys it changed. Resolves when the watches of this store that cover the
   * keys have delivered the events: a read from the cache after an acknowledged write then shows it, as with an
   * embedded store.
   */
  async delivered(revision: number, keys: readonly string[]): Promise<void> {
    const behind: Promise<void>[] = []
    for (const watching of this.open) {
      const reached = watching.covers(keys) ? watching.whenReached(revision) : undefined
      if (reached !== undefined) behind.push(reached)
    }
    if (behind.length === 0) return
    let cancel = (): void => {}
    const patience = new Promise<void>((resolve) => {
      cancel = this.deps.clock.after(ownEventsTimeoutMs, resolve)
    })
    await Promise.race([Promise.all(behind), patience])
    cancel()
  }

  /** Called when the store closes. */
  endAll(error: StoreError): void {
    for (const watching of [...this.open]) watching.end(error)
  }
}
