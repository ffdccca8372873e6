/**
 * The guarantees of a watch, as named predicates over a recorded history (in the form of etcd's robustness tests;
 * promise 3 of the design, specification section 4.4). A history consists of the committed writes and of the events
 * that each watcher got, each in order. Tests of watches, at the cache, at the registry or over HTTP, record a history
 * and call `expectGuarantees`.
 */
import { expect } from "vitest"

/** One write of one commit, as the store has it. */
export interface HistoryWrite {
  readonly type: "put" | "delete"
  readonly key: string
  readonly revision: number
}

/** One event or bookmark as a watcher got it. */
export type Observation =
  | {
      readonly type: "ADDED" | "MODIFIED" | "DELETED"
      readonly key: string
      readonly revision: number
      /** metadata.resourceVersion of the object in the event. */
      readonly objectRevision: number
      /** The previous version, where the watcher can see it. */
      readonly previousRevision?: number
      /** Events delivered together share a number. */
      readonly delivery: number
    }
  | { readonly type: "BOOKMARK"; readonly revision: number }

export interface WatcherHistory {
  readonly name: string
  /** Whether the watch includes events of this key. */
  readonly covers: (key: string) => boolean
  readonly afterRevision: number
  readonly seen: readonly Observation[]
  /** The watch was still open when every event up to here had been delivered; absent: it was ended before. */
  readonly untilRevision?: number
}

export interface History {
  /** In order of revision. Deleting a missing key is not a write. */
  readonly writes: readonly HistoryWrite[]
  readonly watchers: readonly WatcherHistory[]
}

type SeenEvent = Exclude<Observation, { type: "BOOKMARK" }>

function eventsOf(watcher: WatcherHistory): SeenEvent[] {
  return watcher.seen.filter((observation) => observation.type !== "BOOKMARK")
}

function writesFor(history: History, watcher: WatcherHistory): HistoryWrite[] {
  return history.writes.filter((write) => write.revision > watcher.afterRevision && watcher.covers(write.key))
}

/** Events arrive in revision order. */
export function expectOrdered({ watchers }: History): void {
  for (const watcher of watchers) {
    const revisions = watcher.seen.map((observation) => observation.revision)
    expect(revisions, `ordered: ${watcher.name}`).toEqual([...revisions].sort((left, right) => left - right))
  }
}

/** No write is delivered twice. */
export function expectUnique({ watchers }: History): void {
  for (const watcher of watchers) {
    const told = eventsOf(watcher).map((event) => `${event.key}@${event.revision}`)
    expect(told.length, `unique: ${watcher.name}`).toBe(new Set(told).size)
  }
}

/** No event is missing between two delivered ones, nor between the start and the end of the watch. */
export function expectReliable(history: History): void {
  for (const watcher of history.watchers) {
    const told = eventsOf(watcher).map((event) => `${event.key}@${event.revision}`)
    const last = watcher.untilRevision ?? watcher.seen.at(-1)?.revision ?? 0
    const due = writesFor(history, watcher).filter((write) => write.revision <= last)
    expect(told, `reliable: ${watcher.name}`).toEqual(due.map((write) => `${write.key}@${write.revision}`))
  }
}

/** The writes of one commit are delivered together. */
export function expectAtomic({ watchers }: History): void {
  for (const watcher of watchers) {
    const deliveryOf = new Map<number, number>()
    for (const event of eventsOf(watcher)) {
      expect(deliveryOf.get(event.revision) ?? event.delivery, `atomic: ${watcher.name} at ${event.revision}`).toBe(event.delivery)
      deliveryOf.set(event.revision, event.delivery)
    }
  }
}

/** A bookmark follows every event up to its revision. */
export function expectBookmarkable(history: History): void {
  for (const watcher of history.watchers) {
    watcher.seen.forEach((observation, index) => {
      if (observation.type !== "BOOKMARK") return
      const before = watcher.seen.slice(0, index).filter((earlier) => earlier.type !== "BOOKMARK")
      const due = writesFor(history, watcher).filter((write) => write.revision <= observation.revision)
      expect(before.length, `bookmarkable: ${watcher.name} at ${observation.revision}`).toBe(due.length)
    })
  }
}

/**
 * Watchers that began at different points agree on later events: a watcher that resumes at a delivered revision gets
 * exactly the rest.
 */
export function expectResumable(history: History): void {
  for (const watcher of history.watchers) {
    for (const other of history.watchers) {
      if (other.afterRevision < watcher.afterRevision || other.covers !== watcher.covers) continue
      const end = Math.min(watcher.untilRevision ?? 0, other.untilRevision ?? 0)
      const rest = eventsOf(watcher).filter((event) => event.revision > other.afterRevision && event.revision <= end)
      const resumed = eventsOf(other).filter((event) => event.revision <= end)
      expect(resumed.map(brief), `resumable: ${other.name} after ${watcher.name}`).toEqual(rest.map(brief))
    }
  }
}

/** The event type matches the change: ADDED for an object that did not exist, DELETED for one that did. */
export function expectTyped(history: History): void {
  for (const watcher of history.watchers) {
    const types = new Map<string, SeenEvent["type"]>()
    const present = new Set<string>()
    for (const { key, revision, type } of history.writes) {
      types.set(`${key}@${revision}`, type === "delete" ? "DELETED" : present.has(key) ? "MODIFIED" : "ADDED")
      if (type === "delete") present.delete(key)
      else present.add(key)
    }
    for (const event of eventsOf(watcher)) expect(event.type, `typed: ${watcher.name}`).toBe(types.get(`${event.key}@${event.revision}`))
  }
}

/**
 * The object carries the event's revision, a deleted object the revision of its deletion; the previous version is the
 * last one written.
 */
export function expectVersioned(history: History): void {
  const before = new Map<string, number | undefined>()
  const last = new Map<string, number>()
  for (const { key, revision, type } of history.writes) {
    before.set(`${key}@${revision}`, last.get(key))
    if (type === "put") last.set(key, revision)
    else last.delete(key)
  }
  for (const watcher of history.watchers) {
    for (const event of eventsOf(watcher)) {
      expect(event.objectRevision, `versioned: ${watcher.name}`).toBe(event.revision)
      if (event.previousRevision !== undefined)
        expect(event.previousRevision, `previous: ${watcher.name}`).toBe(before.get(`${event.key}@${event.revision}`))
    }
  }
}

/** Only events within the watch's scope and after its starting revision. */
export function expectFiltered({ watchers }: History): void {
  for (const watcher of watchers) {
    for (const event of eventsOf(watcher)) {
      expect(watcher.covers(event.key), `filtered: ${watcher.name} saw ${event.key}`).toBe(true)
      expect(event.revision, `filtered: ${watcher.name}`).toBeGreaterThan(watcher.afterRevision)
    }
  }
}

/** Every guarantee, in the order in which a violation is easiest to understand. */
export const guarantees = [
  expectFiltered,
  expectOrdered,
  expectUnique,
  expectReliable,
  expectAtomic,
  expectBookmarkable,
  expectResumable,
  expectTyped,
  expectVersioned,
] as const

/** Called with a finished history. Fails with the name of the guarantee and of the watcher. */
export function expectGuarantees(history: History): void {
  for (const guarantee of guarantees) guarantee(history)
}

function brief(event: SeenEvent): string {
  return `${event.type} ${event.key}@${event.revision}`
}
