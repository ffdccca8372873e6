/**
 * The past of one resource in pieces. All watchers that catch up get the same pieces: their frames are made once, and
 * the store's log is read once for all. Pieces are cut out of the event window or read from the log; both are kept here
 * within one byte budget of the whole cache.
 */
import type { Clock } from "../../base/clock.ts"
import type { HeldEvent } from "./event-window.ts"
import type { EncodingCache } from "./encoding-cache.ts"

/** Bookkeeping per event, as in the event window. */
const overheadBytes = 200

/** Size of a piece; the revision that reaches a limit is the last one in it. */
export interface PageLimits {
  readonly events: number
  readonly bytes: number
}

/** Every event of one resource after `after`, up to and including `revision`. Immutable. */
export class EventPage {
  readonly sizeBytes: number
  private namespaces: Map<string, HeldEvent[]> | undefined
  private names: Map<string, HeldEvent[]> | undefined

  constructor(
    readonly after: number,
    readonly revision: number,
    readonly events: readonly HeldEvent[],
    /** Read from the log: only this page references the objects of these events. */
    readonly isRead: boolean,
  ) {
    this.sizeBytes = events.reduce((bytes, event) => bytes + sizeOf(event), overheadBytes)
  }

  /**
   * The events after `position` in a scope (see `Subscriber`). Subscribers at or before the page's start share one
   * array.
   */
  within({ scope, isExact, keyPrefix }: { scope: string; isExact: boolean; keyPrefix: string }, position: number): readonly HeldEvent[] {
    const found = this.ofScope(scope, isExact, keyPrefix)
    return position <= this.after ? found : found.filter((event) => event.revision > position)
  }

  /** Indexed on the first call: ten thousand watchers of single objects must not each visit every event. */
  private ofScope(scope: string, isExact: boolean, keyPrefix: string): readonly HeldEvent[] {
    if (isExact) {
      this.names ??= grouped(this.events, ({ object }) => object.key.slice(keyPrefix.length))
      return this.names.get(scope) ?? none
    }
    if (scope === "") return this.events
    this.namespaces ??= grouped(this.events, ({ object }) =>
      object.key.slice(keyPrefix.length, object.key.indexOf("/", keyPrefix.length) + 1),
    )
    return this.namespaces.get(scope) ?? none
  }
}

const none: readonly HeldEvent[] = []

function grouped(events: readonly HeldEvent[], groupOf: (event: HeldEvent) => string): Map<string, HeldEvent[]> {
  const groups = new Map<string, HeldEvent[]>()
  for (const event of events) {
    const group = groupOf(event)
    const found = groups.get(group)
    if (found === undefined) groups.set(group, [event])
    else found.push(event)
  }
  return groups
}

function sizeOf({ object, previous }: HeldEvent): number {
  return object.sizeBytes + (previous?.sizeBytes ?? 0) + overheadBytes
}

/** The first events that make up a piece, in whole revisions. `isFull`: more events follow. */
export function firstPiece(events: Iterable<HeldEvent>, limits: PageLimits): { events: HeldEvent[]; isFull: boolean } {
  const piece: HeldEvent[] = []
  let bytes = 0
  for (const event of events) {
    const isEnough = piece.length >= limits.events || bytes >= limits.bytes
    if (isEnough && piece.at(-1)?.revision !== event.revision) return { events: piece, isFull: true }
    piece.push(event)
    bytes += event.object.sizeBytes
  }
  return { events: piece, isFull: false }
}

/**
 * The pieces of all resources of a cache. Evicts the least recently used piece, and all pieces after a while without
 * use.
 */
export class EventPageCache {
  private readonly pages = new Map<EventPage, EventPages>()
  private used = 0
  private isTouched = false
  private cancel: (() => void) | undefined

  constructor(
    private readonly options: {
      readonly limitBytes: number
      readonly unusedMs: number
      readonly clock: Clock
      readonly encodings: EncodingCache
    },
  ) {}

  /** Size of the events held, bookkeeping included; at most the limit and one piece. */
  get usedBytes(): number {
    return this.used
  }

  keep(page: EventPage, pages: EventPages): void {
    this.pages.set(page, pages)
    this.used += page.sizeBytes
    for (const [oldest, owner] of this.pages) {
      if (this.used <= this.options.limitBytes || oldest === page) break
      owner.drop(oldest)
    }
    this.isTouched = true
    this.scheduleExpiry()
  }

  touch(page: EventPage): void {
    const pages = this.pages.get(page)
    if (pages === undefined) return
    this.isTouched = true
    this.pages.delete(page)
    this.pages.set(page, pages)
  }

  /** Called by `EventPages` for each page that it drops. */
  forget(page: EventPage): void {
    if (!this.pages.delete(page)) return
    this.used -= page.sizeBytes
    if (this.pages.size === 0) this.stop()
    if (!page.isRead) return
    for (const { object, previous } of page.events) {
      this.options.encodings.dropAll(object)
      if (previous !== undefined) this.options.encodings.dropAll(previous)
    }
  }

  /** Called when the cache closes. */
  stop(): void {
    this.cancel?.()
    this.cancel = undefined
  }

  private scheduleExpiry(): void {
    this.cancel ??= this.options.clock.after(this.options.unusedMs, () => {
      this.cancel = undefined
      if (!this.isTouched) for (const [page, owner] of [...this.pages]) owner.drop(page)
      this.isTouched = false
      if (this.pages.size > 0) this.scheduleExpiry()
    })
  }
}

/** The pieces of one resource. */
export class EventPages {
  /** By `after`. They never overlap. */
  private readonly pages = new Map<number, EventPage>()
  /**
   * The piece that ends with the window: for all subscribers that catch up at that moment, and not worth keeping
   * longer.
   */
  private newest: EventPage | undefined

  constructor(private readonly budget: EventPageCache) {}

  /** The piece with the events after `position`; undefined: it must be made. */
  find(position: number): EventPage | undefined {
    if (this.newest !== undefined && this.newest.after === position) return this.newest
    const found = this.pages.get(position) ?? this.around(position)
    if (found !== undefined) this.budget.touch(found)
    return found
  }

  /** Start of the next kept piece, at which a new piece must end. */
  nextStart(position: number): number {
    let next = Number.POSITIVE_INFINITY
    for (const after of this.pages.keys()) if (after > position && after < next) next = after
    return next
  }

  /** `isFull`: no later event can belong to the piece. */
  keep(page: EventPage, isFull: boolean): void {
    if (!isFull) {
      this.newest = page
      return
    }
    const before = this.pages.get(page.after)
    if (before !== undefined) this.drop(before)
    this.pages.set(page.after, page)
    this.budget.keep(page, this)
  }

  drop(page: EventPage): void {
    if (this.pages.get(page.after) === page) this.pages.delete(page.after)
    this.budget.forget(page)
  }

  /** Called when the resource starts over or closes: the objects of its pieces do not belong to the new state. */
  clear(): void {
    this.newest = undefined
    for (const page of [...this.pages.values()]) this.drop(page)
  }

  /** A subscriber that begins within a piece takes the rest of it, and continues with the shared pieces. */
  private around(position: number): EventPage | undefined {
    for (const page of this.pages.values()) if (page.after < position && position < page.revision) return page
    return undefined
  }
}
