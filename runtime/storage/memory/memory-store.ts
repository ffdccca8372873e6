/**
 * A store in memory only: for tests, and the model that other drivers are compared with. Simple on purpose: every
 * version of every key in one ordered map, and all events in one array.
 */
import type { Clock } from "../../base/clock.ts"
import { createExpiryTimer } from "../expiry-timer.ts"
import { createFeed, deliver } from "../feed.ts"
import { OrderedMap } from "../ordered-map.ts"
import type {
  Check,
  CommitOptions,
  CommitResult,
  LogPiece,
  LogOptions,
  Store,
  StoredValue,
  StoreEvent,
  StoreListOptions,
  StoreListResult,
  WatchOptions,
  Write,
} from "../store.ts"
import { compareBytes } from "../../base/byte-order.ts"
import { checkCommit, checkPrefix, checkRevision, StoreError } from "../store.ts"

/** The state of a key from `revision` until its next version; without `stored`: deleted. */
interface Version {
  readonly revision: number
  readonly stored?: StoredValue
}

/** Called by tests and by `--store=memory`. The data ends with the process. */
export function openMemoryStore(options: { clock: Clock }): Promise<Store> {
  return Promise.resolve(new MemoryStore(options.clock))
}

class MemoryStore implements Store {
  /** Versions of a key, oldest first. */
  private readonly versions = new OrderedMap<string, Version[]>(undefined, compareBytes)
  private readonly log: StoreEvent[] = []
  private readonly feed = createFeed(1)
  private readonly expiry
  private lastRevision = 1
  private compactedRevision = 0
  private closed = false

  constructor(private readonly clock: Clock) {
    this.expiry = createExpiryTimer(clock, () => this.expire())
  }

  async get({ key, revision }: { key: string; revision?: number }): Promise<StoredValue | undefined> {
    this.checkOpen()
    const at = revision ?? this.lastRevision
    checkRevision(at, { revision: this.lastRevision, compactedRevision: this.compactedRevision })
    return this.storedAt(key, at)
  }

  async list(options: StoreListOptions): Promise<StoreListResult> {
    this.checkOpen()
    checkPrefix(options.prefix)
    const revision = options.revision ?? this.lastRevision
    checkRevision(revision, { revision: this.lastRevision, compactedRevision: this.compactedRevision })
    const { prefix, startAfter = "", limit = Number.POSITIVE_INFINITY } = options
    const items: StoredValue[] = []
    const from = compareBytes(startAfter, prefix) > 0 ? startAfter : prefix
    for (const [key] of this.versions.entries(from)) {
      if (!key.startsWith(prefix)) break
      const stored = key === startAfter ? undefined : this.storedAt(key, revision)
      if (stored === undefined) continue
      if (items.length >= limit) return { items, revision, more: true }
      items.push(stored)
    }
    return { items, revision, more: false }
  }

  async commit(options: CommitOptions): Promise<CommitResult> {
    this.checkOpen()
    checkCommit(options)
    options.beforeWrite?.()
    const current = this.failedChecks(options.checks)
    if (current.size > 0) return { ok: false, revision: this.lastRevision, current }
    const revision = this.lastRevision + 1
    const events = options.writes.flatMap((write) => this.write(write, revision) ?? [])
    this.publish(events, revision)
    return { ok: true, revision: this.lastRevision }
  }

  async watch(options: WatchOptions): Promise<{ stop(): void }> {
    this.checkOpen()
    checkPrefix(options.prefix)
    checkRevision(options.afterRevision, { revision: this.lastRevision, compactedRevision: this.compactedRevision })
    // Events that are committed but not yet published reach the watcher through the feed.
    const { revision } = this.feed
    const missed = this.log.filter((event) => event.revision > options.afterRevision && event.revision <= revision)
    if (missed.length > 0) deliver(options, missed, revision)
    return { stop: this.feed.attach(options) }
  }

  async readLog({ prefix, afterRevision, upTo, bytes }: LogOptions): Promise<LogPiece> {
    this.checkOpen()
    checkPrefix(prefix)
    checkRevision(afterRevision, { revision: this.lastRevision, compactedRevision: this.compactedRevision })
    const events: StoreEvent[] = []
    let left = bytes
    for (let at = this.placeAfter(afterRevision); at < this.log.length; at++) {
      const event = this.log[at]
      if (event === undefined || event.revision > upTo) break
      if (left <= 0 && event.revision !== this.log[at - 1]?.revision)
        return { events, revision: this.log[at - 1]?.revision ?? afterRevision }
      if (!event.key.startsWith(prefix)) continue
      events.push(event)
      left -= event.value?.byteLength ?? 0
    }
    return { events, revision: upTo }
  }

  async revision(): Promise<number> {
    this.checkOpen()
    return this.lastRevision
  }

  async compact({ revision }: { revision: number }): Promise<void> {
    this.checkOpen()
    if (revision <= this.compactedRevision) return
    checkRevision(revision, { revision: this.lastRevision, compactedRevision: this.compactedRevision })
    this.compactedRevision = revision
    const kept = this.log.filter((event) => event.revision > revision)
    this.log.splice(0, this.log.length, ...kept)
    for (const [key, versions] of [...this.versions.entries()]) {
      const current = versions.findLastIndex((version) => version.revision <= revision)
      const oldest = versions[current]?.stored === undefined ? current + 1 : current
      versions.splice(0, Math.max(oldest, 0))
      if (versions.length === 0) this.versions.delete(key)
    }
  }

  async status() {
    this.checkOpen()
    let sizeBytes = 0
    let keys = 0
    for (const [key, versions] of this.versions.entries()) {
      for (const { stored } of versions) sizeBytes += Buffer.byteLength(key) + (stored?.value.byteLength ?? 0)
      if (versions.at(-1)?.stored !== undefined) keys++
    }
    return { driver: "memory", sizeBytes, revision: this.lastRevision, compactedRevision: this.compactedRevision, keys }
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    this.expiry.cancel()
    this.feed.end(new StoreError("closed", "the store has been closed"))
  }

  /** Index in the log of the first event with a greater revision. */
  private placeAfter(revision: number): number {
    let low = 0
    let high = this.log.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.log[middle]?.revision ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    return low
  }

  private checkOpen(): void {
    if (this.closed) throw new StoreError("closed", "the store has been closed")
  }

  private storedAt(key: string, revision: number): StoredValue | undefined {
    return this.versions.get(key)?.findLast((version) => version.revision <= revision)?.stored
  }

  private failedChecks(checks: readonly Check[]): Map<string, StoredValue | undefined> {
    const failed = new Map<string, StoredValue | undefined>()
    for (const check of checks) {
      const current = this.storedAt(check.key, this.lastRevision)
      if ((current?.modRevision ?? 0) !== check.modRevision) failed.set(check.key, current)
    }
    return failed
  }

  /** Adds a version and returns its event; undefined when the write deletes a missing key. */
  private write(write: Write, revision: number): StoreEvent | undefined {
    const { key } = write
    const previous = this.storedAt(key, this.lastRevision)
    if (write.type === "delete" && previous === undefined) return undefined
    const createRevision = previous?.createRevision ?? revision
    const versions = this.versions.get(key) ?? []
    this.versions.set(key, versions)
    if (write.type === "delete") {
      versions.push({ revision })
      return { type: "delete", key, revision, createRevision, ...(previous !== undefined && { previous }) }
    }
    const { value, ttlSeconds } = write
    const expiresAtMs = ttlSeconds === undefined ? undefined : this.clock.nowMs() + ttlSeconds * 1000
    versions.push({
      revision,
      stored: { key, value, createRevision, modRevision: revision, ...(expiresAtMs !== undefined && { expiresAtMs }) },
    })
    if (expiresAtMs !== undefined) this.expiry.due(expiresAtMs)
    return { type: "put", key, revision, value, createRevision, ...(previous !== undefined && { previous }) }
  }

  private publish(events: readonly StoreEvent[], revision: number): void {
    if (events.length === 0) return
    this.lastRevision = revision
    this.log.push(...events)
    this.feed.publish(events, revision)
  }

  /** Deletes the values that are due, earliest first, each at a revision of its own, and schedules the next one. */
  private expire(): void {
    const nowMs = this.clock.nowMs()
    const mortal = this.versions
      .valuesArray()
      .flatMap((versions) => versions.at(-1)?.stored ?? [])
      .filter((stored) => stored.expiresAtMs !== undefined)
    mortal.sort((left, right) => (left.expiresAtMs ?? 0) - (right.expiresAtMs ?? 0) || compareBytes(left.key, right.key))
    for (const { key, expiresAtMs = 0 } of mortal) {
      if (expiresAtMs > nowMs) {
        this.expiry.due(expiresAtMs)
        return
      }
      const revision = this.lastRevision + 1
      const event = this.write({ type: "delete", key }, revision)
      if (event !== undefined) this.publish([event], revision)
    }
  }
}
