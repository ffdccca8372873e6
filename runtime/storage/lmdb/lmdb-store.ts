/**
 * The embedded, durable store: LMDB, written by a worker thread in groups, read on the main thread. `layout.ts`
 * describes the data, `engine.ts` writes it, `reader.ts` reads it; this file ties them together from open to close.
 *
 * ```
 * commit ─ committer ─▶ worker ─ durable ─▶ reader refreshed ─▶ events to watchers ─▶ commit resolves
 * ```
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { nextTurn } from "../../base/turns.ts"
import type { Feed } from "../feed.ts"
import { createFeed, deliver } from "../feed.ts"
import type {
  CommitOptions,
  CommitResult,
  LogPiece,
  LogOptions,
  Store,
  StoredValue,
  StoreEvent,
  StoreListOptions,
  StoreListResult,
  StoreStatus,
  WatchOptions,
} from "../store.ts"
import { checkCommit, checkPrefix, checkRevision, StoreError } from "../store.ts"
import type { Backend } from "./backend.ts"
import { openBackend } from "./backend.ts"
import { createCommitter } from "./committer.ts"
import { dataFile } from "./environment.ts"
import type { Expiry } from "./expiry.ts"
import { createExpiry } from "./expiry.ts"

export interface LmdbStoreOptions {
  /** The store's folder, on a local file system; created if missing. */
  readonly dir: string
  readonly clock: Clock
  /** Initial size of the address space in bytes; it grows as needed. */
  readonly mapSize?: number
}

/** Delay after a failure before the store tries to write again. */
const healAfterMs = 1000
/** A batch that takes longer than this means that the disk does not respond. */
const stalledAfterMs = 5000
/** Bytes that must fit on a disk before it no longer counts as full. */
const roomBytes = 64 * 1024

/**
 * Called by `main` and tests. Resolves once the store accepts writes. Throws StoreError "unavailable" when another
 * process has it open, or when the folder holds something else or a newer format; "full" when the disk has no room even
 * for the lock's record.
 */
export function openLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  return openStoreOn(openBackend, options)
}

/** The same with another backend; tests pass one that fails on demand. */
export function openStoreOn(open: typeof openBackend, options: LmdbStoreOptions): Promise<Store> {
  return LmdbStore.open(open, options)
}

class LmdbStore implements Store {
  private readonly feed: Feed
  private readonly committer
  private readonly expiry: Expiry
  private compactedRevision: number
  private sweeping: Promise<void> = Promise.resolve()
  private fault: StoreError | undefined
  private cancelHealing: (() => void) | undefined
  private healing: Promise<void> = Promise.resolve()
  private closing: Promise<void> | undefined

  static async open(open: typeof openBackend, options: LmdbStoreOptions): Promise<LmdbStore> {
    let store: LmdbStore | undefined
    const backend = await open(options, (error) => store?.onFailure(error))
    store = new LmdbStore(options, backend)
    store.start()
    return store
  }

  private constructor(
    private readonly options: LmdbStoreOptions,
    private readonly backend: Backend,
  ) {
    const { revision, compactedRevision } = backend.state()
    this.feed = createFeed(revision)
    this.compactedRevision = compactedRevision
    const { clock } = options
    this.expiry = createExpiry({
      clock,
      reader: () => backend.reader(),
      remove: async (item) => (await this.commit({ checks: [item], writes: [{ type: "delete", key: item.key }] })).ok,
    })
    this.committer = createCommitter({
      send: (batch, length) => backend.commit(batch, length),
      onDurable: (events, newRevision, dueMs) => this.onDurable(events, newRevision, dueMs),
      onFailure: (error) => this.onFailure(error),
      expiresAtMs: (ttlSeconds) => clock.nowMs() + ttlSeconds * 1000,
      elapsedMs: () => clock.elapsedMs(),
    })
  }

  /** Continues the work of the last process: values that have expired, and an interrupted compaction. */
  private start(): void {
    this.expiry.start()
    void this.sweep().catch(() => undefined)
  }

  async get({ key, revision }: { key: string; revision?: number }): Promise<StoredValue | undefined> {
    this.checkOpen()
    const at = revision ?? this.feed.revision
    this.checkReadable(at)
    return this.backend.reader().get(key, at)
  }

  async list(options: StoreListOptions): Promise<StoreListResult> {
    checkPrefix(options.prefix)
    for (;;) {
      try {
        return await this.listAt(options, options.revision ?? this.feed.revision)
      } catch (error) {
        // A list of the present state must succeed even when a compaction overtook the first attempt.
        if (options.revision !== undefined || !(error instanceof StoreError) || error.code !== "compacted") throw error
      }
    }
  }

  private async listAt(options: StoreListOptions, revision: number): Promise<StoreListResult> {
    const { copy, prefix, startAfter, limit = Number.POSITIVE_INFINITY } = options
    const items: StoredValue[] = []
    this.checkOpen()
    let from: Uint8Array | undefined = this.backend.reader().listStart(prefix, startAfter)
    while (from !== undefined && items.length <= limit) {
      if (items.length > 0) await nextTurn()
      this.checkOpen()
      this.checkReadable(revision)
      // One item more than the limit shows whether there are more.
      const step = this.backend.reader().listStep({ from, prefix, revision, limit: limit + 1 - items.length, copy })
      items.push(...step.items)
      from = step.next
    }
    const more = items.length > limit
    if (more) items.length = limit
    return { items, revision, more }
  }

  async commit(options: CommitOptions): Promise<CommitResult> {
    this.checkOpen()
    checkCommit(options)
    // On a full disk every commit is tried: one of them may find room.
    if (this.fault !== undefined && this.fault.code !== "full") throw new StoreError("unavailable", this.fault.message)
    return this.committer.commit(options)
  }

  async watch(options: WatchOptions): Promise<{ stop(): void }> {
    this.checkOpen()
    checkPrefix(options.prefix)
    this.checkReadable(options.afterRevision)
    let reached = options.afterRevision
    while (reached < this.feed.revision) {
      const { prefix, previous } = options
      const step = this.backend.reader().replayStep({ afterRevision: reached, revision: this.feed.revision, prefix, previous })
      reached = step.revision
      if (step.events.length > 0) deliver(options, step.events, reached)
      if (reached < this.feed.revision) await nextTurn()
      this.checkOpen()
      this.checkReadable(reached)
    }
    return { stop: this.feed.attach(options) }
  }

  async readLog({ prefix, afterRevision, upTo, bytes }: LogOptions): Promise<LogPiece> {
    checkPrefix(prefix)
    const events: StoreEvent[] = []
    let reached = afterRevision
    for (let left = bytes; left > 0; ) {
      this.checkOpen()
      this.checkReadable(reached)
      const step = this.backend
        .reader()
        .replayStep({ afterRevision: reached, revision: Math.min(upTo, this.feed.revision), prefix, bytes: left })
      reached = step.revision
      for (const event of step.events) {
        events.push(event)
        left -= event.value?.byteLength ?? 0
      }
      if (reached >= upTo || left <= 0) break
      await nextTurn()
    }
    return { events, revision: reached }
  }

  async revision(): Promise<number> {
    this.checkOpen()
    return this.feed.revision
  }

  async compact({ revision }: { revision: number }): Promise<void> {
    this.checkOpen()
    if (revision <= this.compactedRevision) return
    this.checkReadable(revision)
    // Before any data is deleted: a read that has begun must find everything or be refused.
    this.compactedRevision = revision
    await this.attempt(this.backend.compact(revision))
    await this.sweep()
  }

  async status(): Promise<StoreStatus> {
    this.checkOpen()
    const { revision } = this.feed
    const fault = this.fault?.message ?? this.stall()
    return { driver: "lmdb", ...this.sizes(), revision, compactedRevision: this.compactedRevision, ...(fault !== undefined && { fault }) }
  }

  private stall(): string | undefined {
    const sinceMs = this.committer.busySinceMs()
    const waitedMs = sinceMs === undefined ? 0 : this.options.clock.elapsedMs() - sinceMs
    if (waitedMs < stalledAfterMs) return undefined
    return `the disk that holds ${this.options.dir} has not answered for ${Math.floor(waitedMs / 1000)} s`
  }

  close(): Promise<void> {
    this.closing ??= this.end()
    return this.closing
  }

  private async end(): Promise<void> {
    this.expiry.cancel()
    this.cancelHealing?.()
    await this.committer.idle()
    await this.sweeping.catch(() => undefined)
    await this.healing
    this.feed.end(new StoreError("closed", "the store has been closed"))
    await this.backend.close()
  }

  private checkOpen(): void {
    if (this.closing !== undefined) throw new StoreError("closed", "the store has been closed")
  }

  private checkReadable(revision: number): void {
    checkRevision(revision, { revision: this.feed.revision, compactedRevision: this.compactedRevision })
  }

  private sizes(): { sizeBytes: number; keys: number } {
    try {
      return { sizeBytes: statSync(join(this.options.dir, dataFile)).size, keys: this.backend.state().keys }
    } catch {
      // A store that cannot be read must still report its health, which is when it matters.
      return { sizeBytes: 0, keys: 0 }
    }
  }

  /** Runs one compaction at a time; commits run between its steps. */
  private sweep(): Promise<void> {
    const run = async (): Promise<void> => {
      let all = false
      while (!all && this.closing === undefined) all = await this.attempt(this.backend.sweep())
    }
    this.sweeping = this.sweeping.then(run, run)
    return this.sweeping
  }

  private async attempt<T>(request: Promise<T>): Promise<T> {
    try {
      return await request
    } catch (error) {
      if (error instanceof StoreError) this.onFailure(error)
      throw error
    }
  }

  private onDurable(events: readonly StoreEvent[], revision: number, dueMs: number): void {
    this.backend.reader().refresh()
    if (dueMs < Number.POSITIVE_INFINITY) this.expiry.due(dueMs)
    if (this.fault?.code === "full") this.fault = undefined
    if (revision <= this.feed.revision) return
    this.feed.publish(this.feed.wantsPrevious ? events.map((event) => this.withPrevious(event)) : events, revision)
  }

  /** With the value that the write replaced, which a compaction leaves until the write has been published. */
  private withPrevious(event: StoreEvent): StoreEvent {
    const { createRevision, key, revision } = event
    if (createRevision === revision) return event
    const previous = this.backend.reader().get(key, revision - 1)
    return previous === undefined ? event : { ...event, previous }
  }

  /** The first failure remains the store's fault until it has recovered. */
  private onFailure(error: StoreError): void {
    if (this.fault === undefined || this.fault.code === "full") this.fault = error
    this.healLater()
  }

  private healLater(): void {
    if (this.closing !== undefined || this.cancelHealing !== undefined) return
    this.cancelHealing = this.options.clock.after(healAfterMs, () => {
      this.cancelHealing = undefined
      this.healing = this.healing.then(() => this.heal())
    })
  }

  /** On a full disk tries to write; after any other failure reopens everything, since nothing is certain. */
  private async heal(): Promise<void> {
    const { fault } = this
    if (fault === undefined || this.closing !== undefined) return
    try {
      if (fault.code === "full") await this.backend.tryRoom(roomBytes)
      else await this.reopen()
      this.fault = undefined
      void this.sweep().catch(() => undefined)
    } catch (error) {
      if (error instanceof StoreError) this.fault = error
      this.healLater()
    }
  }

  private async reopen(): Promise<void> {
    await this.committer.idle()
    try {
      await this.backend.reopen()
      // The data found there may never have reached the disk: it counts only after another flush.
      await this.backend.tryRoom(roomBytes)
    } catch (error) {
      // Also when the disk is full: the present data was not read yet, and no write may follow it.
      throw new StoreError("unavailable", error instanceof Error ? error.message : String(error))
    }
    const { revision } = this.backend.state()
    if (revision < this.feed.revision) {
      throw new StoreError(
        "unavailable",
        `the store in ${this.options.dir} lost acknowledged writes: it is at revision ${revision}, not ${this.feed.revision}`,
      )
    }
    // A batch whose outcome was unknown did reach the disk.
    while (this.feed.revision < revision) {
      const step = this.backend.reader().replayStep({ afterRevision: this.feed.revision, revision, prefix: "" })
      this.feed.publish(step.events, step.revision)
    }
    this.expiry.start()
  }
}
