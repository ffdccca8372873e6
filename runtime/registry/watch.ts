/** Watches: where the stream starts (specification section 4.6), and what a selector makes of an event. Frames are the verb's business. */
import { assert } from "../base/assert.ts"
import { staleReadTimeoutMs, watchWriteBytes } from "../base/limits.ts"
import type { CachedObject, CacheEvent, Snapshot, SubscribeOptions, Subscription } from "../storage/cache.ts"
import type { StoreError } from "../storage/store.ts"
import { withResourceVersion } from "../storage/watch-cache/resource-version.ts"
import { Turns } from "../base/turns.ts"
import { awaitFreshness, type Freshness, snapshotFor } from "./read.ts"
import type { KindHandle, Registry } from "./registry.ts"
import type { ObjectFilter } from "./object-filter.ts"

/** One event as one client sees it. */
export interface SeenEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly revision: number
  /** DELETED: the last state that the client's selector matched, at `revision`. */
  readonly object: Pick<CachedObject, "json" | "derived">
}

export interface WatchRequest {
  readonly namespace: string
  /** Watch one object only. */
  readonly name?: string
  readonly filter?: ObjectFilter
  readonly start: WatchStart
  readonly sink: WatchSink
}

export type WatchStart =
  /** Every object there is, as ADDED, then what follows. */
  | { readonly from: "state"; readonly freshness: Freshness }
  /** What follows the state, which is not told. */
  | { readonly from: "now"; readonly freshness: Freshness }
  /** What follows this revision. Throws StoreError "compacted". */
  | { readonly from: "revision"; readonly revision: number }

/** Where a watch goes: one client. */
export interface WatchSink {
  /** In order, several at once when they are there; synchronous and quick. */
  events(events: readonly SeenEvent[]): void
  /** After the last initial event; `revision` is what the state showed. Only with start from state. */
  initialEnd(revision: number): void
  /** Resolves when the client has taken what was sent; undefined when there is nothing to wait for. Asked before more is handed over. */
  room(): Promise<void> | undefined
  /** While there is no room: so many bytes of events of the present wait for it by now. */
  missed(bytes: number): void
  /** What `events` does with one of them, in microseconds, about. */
  readonly workPerEvent: number
  /** Nobody listens any more: initial events that are left need not be told. */
  readonly over: boolean
  /** The watch cannot go on: history was lost, or the store. */
  fail(error: StoreError): void
}

/** A watch that has begun. */
export interface StartedWatch extends Subscription {
  /** What the client was shown at the start; events after it follow. */
  readonly startRevision: number
}

/** Initial events handed over at a time: so many, or so many bytes. A hundred objects of a megabyte are more than may wait for any watcher. */
const initialEventsAtOnce = 100
const initialBytesAtOnce = watchWriteBytes

/** Microseconds to ask a selector about an object, and to decode and frame so many bytes. */
const filterWork = 3
const bytesPerMicrosecond = 100

/**
 * Called by the watch verb. Initial events are delivered before it resolves, in order before all others, as fast as the client takes them.
 * Throws 504 for a state that is not reached, and StoreError "compacted".
 */
export async function watchObjects(registry: Registry, handle: KindHandle, request: WatchRequest): Promise<StartedWatch> {
  const { start } = request
  if (start.from === "revision") return subscribe(handle, request, start.revision)
  await awaitFreshness(registry, handle, start.freshness)
  const snapshot = await startState(registry, handle, start)
  if (start.from === "now") return subscribe(handle, request, snapshot.revision)
  await tellState(handle, request, snapshot)
  request.sink.initialEnd(snapshot.revision)
  return subscribe(handle, request, snapshot.revision)
}

/** Who is not told the state needs only its revision, whatever it is read from. */
async function startState(registry: Registry, handle: KindHandle, start: Exclude<WatchStart, { from: "revision" }>): Promise<Snapshot> {
  if (!handle.cache.readsStore || start.from === "now") return handle.cache.snapshot()
  const snapshot = await snapshotFor(registry, handle, start.freshness)
  // Bookmarks never fall behind what was told.
  await handle.cache.waitFor(snapshot.revision, staleReadTimeoutMs)
  return snapshot
}

async function tellState(handle: KindHandle, request: WatchRequest, snapshot: Snapshot): Promise<void> {
  const { filter, sink } = request
  const turns = new Turns()
  let batch: SeenEvent[] = []
  let bytes = 0
  for (const object of initialObjects(handle, request, snapshot)) {
    if (turns.isOver(filterWork)) await turns.next()
    if (sink.over) return
    if (filter !== undefined && !filter(object)) continue
    batch.push({ type: "ADDED", revision: object.modRevision, object })
    bytes += object.json().byteLength
    if (batch.length < initialEventsAtOnce && bytes < initialBytesAtOnce) continue
    sink.events(batch)
    const isOver = turns.isOver(batch.length * sink.workPerEvent + bytes / bytesPerMicrosecond)
    batch = []
    bytes = 0
    const room = sink.room()
    if (room !== undefined) await room
    if (isOver) await turns.next()
  }
  if (batch.length > 0 && !sink.over) sink.events(batch)
}

function* initialObjects(handle: KindHandle, { namespace, name }: WatchRequest, snapshot: Snapshot): Iterable<CachedObject> {
  const only = name === undefined ? undefined : handle.key(namespace, name)
  for (const object of snapshot.entries({ prefix: only ?? handle.prefix(namespace) })) {
    if (only !== undefined && object.key !== only) return
    yield object
  }
}

function subscribe(handle: KindHandle, request: WatchRequest, afterRevision: number): StartedWatch {
  return new ObjectWatch(handle, request, afterRevision)
}

/** One per watch, and the only thing that this file keeps of it. */
class ObjectWatch implements StartedWatch, SubscribeOptions {
  readonly prefix: string
  readonly exact: boolean
  readonly workPerEvent: number
  private readonly filter: ObjectFilter | undefined
  private readonly sink: WatchSink
  private readonly subscription: Subscription
  /** Bytes of events that wait for room. */
  private missedBytes = 0

  constructor(
    handle: KindHandle,
    { namespace, name, filter, sink }: WatchRequest,
    readonly afterRevision: number,
  ) {
    const inResource = namespace === "" ? "" : `${namespace}/`
    this.prefix = name === undefined ? inResource : `${inResource}${name}`
    this.exact = name !== undefined
    this.filter = filter
    this.sink = sink
    this.workPerEvent = sink.workPerEvent + (filter === undefined ? 0 : filterWork)
    this.subscription = handle.cache.subscribe(this)
  }

  get startRevision(): number {
    return this.afterRevision
  }

  onEvents(events: readonly CacheEvent[]): void {
    const seen = this.filter === undefined ? events : through(events, this.filter)
    if (this.missedBytes > 0) this.missedBytes = Math.max(0, this.missedBytes - bytesOf(events, this.filter))
    if (seen.length > 0) this.sink.events(seen)
  }

  room(): Promise<void> | undefined {
    return this.sink.room()
  }

  onMissed(events: readonly CacheEvent[]): void {
    this.missedBytes += bytesOf(events, this.filter)
    this.sink.missed(this.missedBytes)
  }

  onEnd(error: StoreError): void {
    this.sink.fail(error)
  }

  stop(): void {
    this.subscription.stop()
  }

  revision(): number | undefined {
    return this.subscription.revision()
  }
}

/** Of the objects that the selector matches, before or after. */
function bytesOf(events: readonly CacheEvent[], filter: ObjectFilter | undefined): number {
  let bytes = 0
  for (const { object, previous } of events) {
    const isSeen = filter === undefined || filter(object) || (previous !== undefined && filter(previous))
    if (isSeen) bytes += object.sizeBytes
  }
  return bytes
}

/** An object that enters the selector is ADDED, one that leaves is DELETED with its last matching state. */
function through(events: readonly CacheEvent[], filter: ObjectFilter): SeenEvent[] {
  const seen: SeenEvent[] = []
  for (const { type, revision, object, previous } of events) {
    const before = previous !== undefined && filter(previous)
    if (type === "DELETED") {
      if (before) seen.push({ type, revision, object })
      continue
    }
    const now = filter(object)
    if (now) seen.push({ type: before ? "MODIFIED" : "ADDED", revision, object })
    else if (before) {
      assert(previous !== undefined, "an object that left was there", { revision })
      seen.push({ type: "DELETED", revision, object: lastState(previous, revision) })
    }
  }
  return seen
}

/** What left a selector, shown at the revision at which it left. */
function lastState(previous: CachedObject, revision: number): SeenEvent["object"] {
  return {
    json: () => withResourceVersion(previous.json(), revision),
    derived: (form, make) => previous.derived(`${form}@${revision}`, make),
  }
}
