/**
 * The recent events of one resource: a watch may begin in the past, and a past state can be rebuilt. Covers every
 * revision after `low`, without gaps.
 */
import type { CacheEvent } from "../cache.ts"
import type { EncodingCache } from "./encoding-cache.ts"
import type { CachedEntry, DeletedEntry } from "./entry.ts"
import type { CacheLimits } from "./options.ts"

/** An event with the cache's own entries. */
export interface HeldEvent extends CacheEvent {
  readonly object: CachedEntry | DeletedEntry
  readonly previous?: CachedEntry
}

interface Kept {
  readonly event: HeldEvent
  readonly atMs: number
  readonly sizeBytes: number
}

/** Bookkeeping per event, so that a flood of tiny objects counts too. */
const overheadBytes = 200

/** Replaced by a new one when its resource starts over. */
export class EventWindow {
  /** Oldest first, starting at `first`; the dropped head is cut off when it has grown to half of the array. */
  private kept: (Kept | undefined)[] = []
  private first = 0
  private bytes = 0

  constructor(
    private readonly limits: CacheLimits,
    /** Every event after this revision is in the window. */
    private lowRevision: number,
    private readonly encodings: EncodingCache,
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
  push(event: HeldEvent, elapsedMs: number): void {
    const kept = this.charged(event, elapsedMs)
    this.kept.push(kept)
    this.bytes += kept.sizeBytes
  }

  /**
   * Drops events over the byte budget, and events that are too old and not among the newest few. Called after each
   * batch and periodically.
   */
  trim(elapsedMs: number): void {
    const { windowMs, windowBytes, windowEvents } = this.limits
    for (let oldest = this.kept[this.first]; oldest !== undefined; oldest = this.kept[this.first]) {
      const aged = elapsedMs - oldest.atMs > windowMs && this.size > windowEvents
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

  /** Drops a revision as a whole: a watch must not begin within a commit. */
  private dropRevision(revision: number): void {
    for (let oldest = this.kept[this.first]; oldest?.event.revision === revision; oldest = this.kept[this.first]) {
      this.bytes -= oldest.sizeBytes
      this.forgetEncodings(oldest.event)
      this.kept[this.first] = undefined
      this.first++
    }
    this.lowRevision = revision
  }

  /** The states that the event ended were kept for watches that begin in the window, and with them their frames. */
  private forgetEncodings({ type, object, previous }: HeldEvent): void {
    if (previous !== undefined) this.encodings.dropAll(previous)
    if (type === "DELETED") this.encodings.dropAll(object)
  }

  /**
   * An event also references the previous state. If an event of the window brought that state, it is charged there.
   * Otherwise only this event keeps it alive and is charged for it; without that charge, a client that writes to every
   * object once would make the window hold twice its budget.
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
