/**
 * The past of one resource in pieces. Watchers that catch up are handed the same pieces: their frames are made once, and what the store's log holds is
 * read once for all of them. Pieces are cut out of the event window or read from the log; both are kept here under one byte budget of the whole cache.
 */
import type { Clock } from "../../clock.ts"
import type { HeldEvent } from "./event-window.ts"
import type { FormBudget } from "./forms.ts"

/** Bookkeeping per event, as in the event window. */
const overheadBytes = 200

/** How much makes a piece; the revision that reaches it is the last. */
export interface PageLimits {
  readonly events: number
  readonly bytes: number
}

/** Every event of one resource after `after`, up to and including `revision`. Never changed. */
export class EventPage {
  readonly sizeBytes: number
  private namespaces: Map<string, HeldEvent[]> | undefined
  private names: Map<string, HeldEvent[]> | undefined

  constructor(
    readonly after: number,
    readonly revision: number,
    readonly events: readonly HeldEvent[],
    /** Read from the log: nobody else holds the objects of these events. */
    readonly isRead: boolean,
  ) {
    this.sizeBytes = events.reduce((bytes, event) => bytes + sizeOf(event), overheadBytes)
  }

  /** The events after `position` of a scope as `Subscriber` has it. All who begin at or before the page's start get the same array. */
  within({ scope, isExact, keyPrefix }: { scope: string; isExact: boolean; keyPrefix: string }, position: number): readonly HeldEvent[] {
    const found = this.ofScope(scope, isExact, keyPrefix)
    return position <= this.after ? found : found.filter((event) => event.revision > position)
  }

  /** Indexed when the first one asks: ten thousand watchers of an object each must not each look at every event. */
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

/** The first events that make up a piece, by whole revisions. `isFull`: there are more. */
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

/** The pieces of all resources of a cache: the one asked for longest ago goes first, and all of them when nobody asks for a while. */
export class PageBudget {
  private readonly pages = new Map<EventPage, EventPages>()
  private used = 0
  private isTouched = false
  private cancel: (() => void) | undefined

  constructor(
    private readonly options: { readonly limitBytes: number; readonly unusedMs: number; readonly clock: Clock; readonly forms: FormBudget },
  ) {}

  /** Bytes of the events held, bookkeeping included; at most the limit and one piece. */
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
    this.watchOver()
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
      this.options.forms.dropAll(object)
      if (previous !== undefined) this.options.forms.dropAll(previous)
    }
  }

  /** Called when the cache closes. */
  stop(): void {
    this.cancel?.()
    this.cancel = undefined
  }

  private watchOver(): void {
    this.cancel ??= this.options.clock.after(this.options.unusedMs, () => {
      this.cancel = undefined
      if (!this.isTouched) for (const [page, owner] of [...this.pages]) owner.drop(page)
      this.isTouched = false
      if (this.pages.size > 0) this.watchOver()
    })
  }
}

/** The pieces of one resource that are kept. */
export class EventPages {
  /** By `after`. They never overlap. */
  private readonly pages = new Map<number, EventPage>()
  /** Cut where the window ended: for all who caught up at that moment, and not worth keeping beyond. */
  private newest: EventPage | undefined

  constructor(private readonly budget: PageBudget) {}

  /** The piece that holds what follows `position`; undefined: it must be made. */
  find(position: number): EventPage | undefined {
    if (this.newest !== undefined && this.newest.after === position) return this.newest
    const found = this.pages.get(position) ?? this.around(position)
    if (found !== undefined) this.budget.touch(found)
    return found
  }

  /** Where the next piece that is kept begins: one that is made now ends there. */
  nextStart(position: number): number {
    let next = Number.POSITIVE_INFINITY
    for (const after of this.pages.keys()) if (after > position && after < next) next = after
    return next
  }

  /** `isFull`: what is behind it came later, or there is nothing yet. */
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

  /** Called when the resource starts over or closes: the objects of its pieces are not those of the new state. */
  clear(): void {
    this.newest = undefined
    for (const page of [...this.pages.values()]) this.drop(page)
  }

  /** Who begins within a piece takes the rest of it, and goes on with those that the others take. */
  private around(position: number): EventPage | undefined {
    for (const page of this.pages.values()) if (page.after < position && position < page.revision) return page
    return undefined
  }
}
