/**
 * Invariants 2 to 9: a watch delivers the changes that happened, in order, once, without gaps, filtered as requested,
 * and from where it was resumed; a bookmark follows everything up to its version; a deletion has the version of its
 * commit and the last state.
 */
import type { Content, DeliveryRecord, History, WatchedEvent, WatchRecord } from "../history.ts"
import { type Change, sameContent, type Truth } from "../truth.ts"

/** The default of `--min-request-timeout`: no watch without a time limit of its own ends earlier by itself. */
export const shortestWatchMs = 1_800_000

type SeenEvent = Exclude<WatchedEvent, { type: "BOOKMARK" }>

export function watchFaults(history: History, truth: Truth): string[] {
  return [
    ...history.watches.flatMap((watch) => [...eventFaults(watch, truth), ...endFaults(watch)]),
    ...history.deliveries.flatMap((record) => deliveryFaults(record, truth)),
  ]
}

/** The history of the objects that a watch shows. */
export type Timeline = Pick<Truth, "changes" | "revision" | "stateAt">

function endFaults({ beganMs, endedMs = Number.POSITIVE_INFINITY, id }: WatchRecord): string[] {
  return endedMs < beganMs + shortestWatchMs ? [`reliable: ${id} was ended after ${endedMs - beganMs} ms without a reason`] : []
}

/** Faults of the events that a watch has delivered. */
export function eventFaults(watch: WatchRecord, truth: Timeline): string[] {
  const faults: string[] = []
  const { id, goneAtCompacted } = watch
  const start = initialPart(watch, truth, faults)
  if (start === undefined) return faults
  const due = dueEvents(truth, watch, start.after)
  let place = 0
  let reached = start.after
  for (const event of start.rest) {
    if (event.type === "BOOKMARK") {
      const untold = due[place]
      if (untold !== undefined && untold.content.version <= event.version)
        faults.push(`bookmarkable: ${id} had a bookmark at ${event.version} before ${describe(untold)}`)
      if (event.version < reached) faults.push(`ordered: ${id} had a bookmark at ${event.version} after ${reached}`)
      if (event.version > truth.revision) faults.push(`bookmarkable: ${id} had a bookmark at ${event.version}, the store never got there`)
      reached = Math.max(reached, event.version)
      continue
    }
    const expected = due[place]
    if (expected === undefined || !sameEvent(expected, event)) {
      faults.push(
        `${wrong(event, due, place)}: ${id} after ${reached} got ${describe(event)}, due was ${expected === undefined ? "nothing" : describe(expected)}`,
      )
      return faults
    }
    place++
    reached = event.content.version
  }
  const { completeTo } = watch
  const missing = due[place]
  if (completeTo !== undefined && missing !== undefined && missing.content.version <= completeTo)
    faults.push(`reliable: ${id} never got ${describe(missing)}, though the world came to rest at ${completeTo}`)
  if (watch.state === "gone" && goneAtCompacted !== undefined && reached >= goneAtCompacted)
    faults.push(`resumable: ${id} was refused after ${reached}, the store is compacted to ${goneAtCompacted} only`)
  return faults
}

/** The invariant that a wrong event violates. */
function wrong(event: SeenEvent, due: readonly SeenEvent[], place: number): string {
  if (due.slice(0, place).some((earlier) => sameEvent(earlier, event))) return "unique"
  if (due.slice(place).some((later) => sameEvent(later, event))) return "reliable"
  return event.type === "DELETED" ? "deletion" : "ordered or filtered"
}

/** Checks the initial events, if the watch begins with them. Undefined: it ended during them. */
function initialPart(watch: WatchRecord, truth: Timeline, faults: string[]): { after: number; rest: readonly WatchedEvent[] } | undefined {
  const { after, events, id } = watch
  if (after !== undefined) return { after, rest: events }
  const end = events.findIndex((event) => event.type === "BOOKMARK" && event.initialEnd)
  const mark = events[end]
  if (mark === undefined || mark.type !== "BOOKMARK") return undefined
  const shown = events.slice(0, end).filter((event) => event.type !== "BOOKMARK")
  const state = [...truth.stateAt(mark.version)].filter(([name, content]) => covers(watch, name) && matches(watch, content))
  const right =
    shown.length === state.length &&
    state.every(([name, content]) =>
      shown.some((event) => event.type === "ADDED" && event.name === name && sameContent(event.content, content)),
    )
  if (!right) faults.push(`state: ${id} began with ${shown.map(describe).join(", ")}, which is not the state at ${mark.version}`)
  return { after: mark.version, rest: events.slice(end + 1) }
}

/** The events that the watch must deliver, in order. */
function dueEvents(truth: Timeline, watch: WatchRecord, after: number): SeenEvent[] {
  return truth.changes.flatMap((change) => (change.revision > after && covers(watch, change.name) ? seenAs(watch, change) : []))
}

function seenAs(watch: WatchRecord, { name, revision, content, before }: Change): SeenEvent[] {
  const was = before !== undefined && matches(watch, before)
  const is = content !== undefined && matches(watch, content)
  if (is) return [{ type: was ? "MODIFIED" : "ADDED", name, content }]
  // Shows the last state, at the version of the deletion.
  return was ? [{ type: "DELETED", name, content: { ...before, version: revision } }] : []
}

function covers({ name }: WatchRecord, changed: string): boolean {
  return name === undefined || name === changed
}

function matches({ label }: WatchRecord, content: Content): boolean {
  return label === undefined || content.label === label
}

function sameEvent(left: SeenEvent, right: SeenEvent): boolean {
  return left.type === right.type && left.name === right.name && sameContent(left.content, right.content)
}

function describe(event: WatchedEvent): string {
  return event.type === "BOOKMARK" ? `BOOKMARK@${event.version}` : `${event.type} ${event.name}@${event.content.version}`
}

/**
 * Invariant 5, which is visible in deliveries only: the writes of one commit arrive together, and commits arrive in
 * order.
 */
function deliveryFaults({ id, after, deliveries }: DeliveryRecord, truth: Truth): string[] {
  const faults: string[] = []
  let reached = after
  for (const { events } of deliveries) {
    const first = events[0]?.revision ?? reached + 1
    if (first <= reached) faults.push(`atomic: ${id} was handed ${first} after ${reached}`)
    reached = Math.max(reached, events.at(-1)?.revision ?? reached)
  }
  const told = deliveries.flatMap(({ events }) => events.map(({ name, revision }) => `${name}@${revision}`))
  const due = truth.changes
    .filter(({ revision }) => revision > after && revision <= reached)
    .map(({ name, revision }) => `${name}@${revision}`)
  if (told.join() !== due.join()) faults.push(`reliable: ${id} got ${told.join(" ")} of ${due.join(" ")}`)
  return faults
}
