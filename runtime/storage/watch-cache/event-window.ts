/**
 * The recent events of one resource, so that a watch may begin in the past and a state of the past can be rebuilt.
 * Covers every revision after `low`, without gaps.
 */
import type { CacheEvent } from "../cache.ts"
import type { CachedEntry, DeletedEntry } from "./entry.ts"
import type { CacheLimits } from "./options.ts"

/** An event as the cache itself holds it. */
export interface HeldEvent extends CacheEvent {
  readonly object: CachedEntry | DeletedEntry
  readonly previous?: CachedEntry
}

interface Kept {
  readonly event: HeldEvent
  readonly atMs: number
  readonly sizeBytes: number
}

/** Bookkeeping per event, so that a flood of tiny objects is counted too. */
const overheadBytes = 200

/** Replaced by a new one when its resource starts over. */
export class EventWindow {
  /** Oldest first from `first` on; the dropped head is cut off when it has grown to half of the array. */
  private kept: (Kept | undefined)[] = []
  private first = 0
  private bytes = 0

  constructor(
    private readonly limits: CacheLimits,
    /** Every event after this revision is here. */
    private lowRevision: number,
  ) {}

  /** Watches may begin after this revision and any later one. */
  get low(): number {
    return this.lowRevision
  }

  /** Revision of the newest event; `low` when there is none. */
  get newest(): number {
    return this.kept.at(-1)?.event.revision ?? this.lowRevision
  }

  get size(): number {
    return this.kept.length - this.first
  }

  /** Called with every live event, in order. */
  push(event: HeldEvent, nowMs: number): void {
    const kept = this.charged(event, nowMs)
    this.kept.push(kept)
    this.bytes += kept.sizeBytes
  }

  /** Drops what is over the byte budget, or too old and not among the newest few. Called after each batch and now and then. */
  trim(nowMs: number): void {
    const { windowMs, windowBytes, windowEvents } = this.limits
    for (let oldest = this.kept[this.first]; oldest !== undefined; oldest = this.kept[this.first]) {
      const aged = nowMs - oldest.atMs > windowMs && this.size > windowEvents
      if (!aged && this.bytes <= windowBytes) break
      this.dropRevision(oldest.event.revision)
    }
    if (this.first > 64 && this.first * 2 > this.kept.length) {
      this.kept = this.kept.slice(this.first)
      this.first = 0
    }
  }

  /** Events after `revision`, oldest first. `revision` is not below `low`. */
  *after(revision: number): Generator<HeldEvent, void, undefined> {
    for (let index = this.indexAfter(revision); index < this.kept.length; index++) {
      const kept = this.kept[index]
      if (kept !== undefined) yield kept.event
    }
  }

  /** Events after `after` up to `upTo`, newest first: the order in which they are undone. */
  *backwards(upTo: number, after: number): Generator<HeldEvent, void, undefined> {
    for (let index = this.indexAfter(upTo) - 1; index >= this.first; index--) {
      const kept = this.kept[index]
      if (kept === undefined || kept.event.revision <= after) return
      yield kept.event
    }
  }

  /** A revision goes as a whole: half a commit is no state a watch may begin in. */
  private dropRevision(revision: number): void {
    for (let oldest = this.kept[this.first]; oldest?.event.revision === revision; oldest = this.kept[this.first]) {
      this.bytes -= oldest.sizeBytes
      this.kept[this.first] = undefined
      this.first++
    }
    this.lowRevision = revision
  }

  /**
   * The state before is held by its event too. One that an event of the window brought is paid for there; older ones are held by this event alone:
   * without them a client that writes to everything once would hold twice the budget.
   */
  private charged(event: HeldEvent, atMs: number): Kept {
    const { object, previous } = event
    const before = previous !== undefined && previous.modRevision <= this.lowRevision ? previous.sizeBytes : 0
    return { event, atMs, sizeBytes: object.sizeBytes + before + overheadBytes }
  }

  /** Index of the first event with a greater revision. */
  private indexAfter(revision: number): number {
    let low = this.first
    let high = this.kept.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.kept[middle]?.event.revision ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    return low
  }
}
