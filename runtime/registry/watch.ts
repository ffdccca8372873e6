/**
 * Watches: where a watch starts (specification section 4.6), and which events a selector shows. The verb frames them.
 */
import { assert } from "../base/assert.ts"
import { staleReadTimeoutMs, watchWriteBytes } from "../base/limits.ts"
import type { CachedObject, CacheEvent, Snapshot, SubscribeOptions, Subscription } from "../storage/cache.ts"
import type { StoreError } from "../storage/store.ts"
import { withResourceVersion } from "../storage/watch-cache/resource-version.ts"
import { Turns } from "../base/turns.ts"
import { awaitFreshness, type Freshness, snapshotFor } from "./read.ts"
import type { KindHandle, Registry } from "./registry.ts"
import { inBatches, type VersionConversion } from "./version-conversion.ts"
import type { ObjectFilter } from "./object-filter.ts"

/** An event as one client sees it. */
export interface SeenEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly revision: number
  /** DELETED: the last state that matched the client's selector, at `revision`. */
  readonly object: Pick<CachedObject, "json" | "derived">
}

export interface WatchRequest {
  readonly namespace: string
  /** Absent: watch the whole namespace. */
  readonly name?: string
  readonly filter?: ObjectFilter
  readonly start: WatchStart
  readonly sink: WatchSink
}

export type WatchStart =
  /** All existing objects as ADDED, then later events. */
  | { readonly from: "state"; readonly freshness: Freshness }
  /** Events after the present state, without the state itself. */
  | { readonly from: "now"; readonly freshness: Freshness }
  /** Events after this revision. Throws StoreError "compacted". */
  | { readonly from: "revision"; readonly revision: number }

/** Receives the events of a watch for one client. */
export interface WatchSink {
  /** Delivers events in order, several at once if available. Must be synchronous and quick. */
  events(events: readonly SeenEvent[]): void
  /** Called after the last initial event, if the watch starts with the state; `revision`: the revision of the state. */
  initialEnd(revision: number): void
  /**
   * Resolves when the client has read the sent events; undefined if there is room now. Called before the next delivery.
   */
  room(): Promise<void> | undefined
  /** While there is no room: the total size of the events that wait. */
  missed(bytes: number): void
  /** Approximate time that `events` takes per event, in microseconds. */
  readonly workPerEvent: number
  /** The client is gone: remaining initial events are skipped. */
  readonly over: boolean
  /** The watch must end: history was lost, the store failed, or an object could not be converted. */
  fail(error: unknown): void
}

/** A watch that has started. */
export interface StartedWatch extends Subscription {
  /** Revision of the state that the client knows; later events follow. */
  readonly startRevision: number
}

/**
 * Initial events per delivery: at most this many, or this many bytes. A hundred objects of a megabyte would exceed a
 * watcher's queue.
 */
const initialEventsAtOnce = 100
const initialBytesAtOnce = watchWriteBytes

/** Microseconds to apply a selector to an object, and bytes decoded and framed per microsecond. */
const filterWork = 3
const bytesPerMicrosecond = 100

/**
 * Starts a watch. Delivers the initial events before it resolves, as fast as the client reads them; all others follow.
 * Throws 504 if the cache does not reach the requested revision in time, and StoreError "compacted".
 */
export async function watchObjects(registry: Registry, handle: KindHandle, request: WatchRequest): Promise<StartedWatch> {
  const { start } = request
  if (start.from === "revision") return subscribe(handle, request, start.revision)
  await awaitFreshness(registry, handle, start.freshness)
  const snapshot = await startState(registry, handle, start)
  if (start.from === "now") return subscribe(handle, request, snapshot.revision)
  await sendState(handle, request, snapshot)
  request.sink.initialEnd(snapshot.revision)
  return subscribe(handle, request, snapshot.revision)
}

/** The state at which the watch starts. A watch from now on needs only its revision. */
async function startState(registry: Registry, handle: KindHandle, start: Exclude<WatchStart, { from: "revision" }>): Promise<Snapshot> {
  if (!handle.cache.readsStore || start.from === "now") return handle.cache.snapshot()
  const snapshot = await snapshotFor(registry, handle, start.freshness)
  // The cache must reach that revision, so that bookmarks never fall behind it.
  await handle.cache.waitFor(snapshot.revision, staleReadTimeoutMs)
  return snapshot
}

async function sendState(handle: KindHandle, request: WatchRequest, snapshot: Snapshot): Promise<void> {
  const objects = initialObjects(handle, request, snapshot)
  if (handle.conversion === undefined) return sendObjects(objects, request)
  // Bounded: `sendObjects` takes turns.
  for (const batch of inBatches(objects)) {
    if (request.sink.over) return
    await sendObjects(await handle.conversion.present(batch), request)
  }
}

async function sendObjects(objects: Iterable<CachedObject>, request: WatchRequest): Promise<void> {
  const { filter, sink } = request
  const turns = new Turns()
  let batch: SeenEvent[] = []
  let bytes = 0
  for (const object of objects) {
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

/** A subscription that applies the client's selector. One per watch; this file keeps no other state for it. */
class ObjectWatch implements StartedWatch, SubscribeOptions {
  readonly prefix: string
  readonly exact: boolean
  readonly workPerEvent: number
  private readonly filter: ObjectFilter | undefined
  private readonly sink: WatchSink
  private readonly subscription: Subscription
  private readonly conversion: VersionConversion | undefined
  /** Events that are being converted; the cache keeps all later ones until they are delivered. */
  private converting: Promise<void> | undefined
  /** Bytes of events that wait until the client has room. */
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
    this.conversion = handle.conversion
    this.workPerEvent = sink.workPerEvent + (filter === undefined ? 0 : filterWork)
    this.subscription = handle.cache.subscribe(this)
  }

  get startRevision(): number {
    return this.afterRevision
  }

  onEvents(events: readonly CacheEvent[]): void {
    const presented = this.conversion?.presentEvents(events, this.filter !== undefined)
    if (presented === undefined) this.deliver(events)
    else this.converting = this.deliverConverted(presented)
  }

  private async deliverConverted(presented: Promise<readonly CacheEvent[]>): Promise<void> {
    try {
      const events = await presented
      this.converting = undefined
      if (!this.sink.over) this.deliver(events)
    } catch (error) {
      this.converting = undefined
      this.stop()
      this.sink.fail(error)
    }
  }

  private deliver(events: readonly CacheEvent[]): void {
    const seen = this.filter === undefined ? events : filterEvents(events, this.filter)
    if (this.missedBytes > 0) this.missedBytes = Math.max(0, this.missedBytes - bytesOf(events, this.filter))
    if (seen.length > 0) this.sink.events(seen)
  }

  room(): Promise<void> | undefined {
    return this.converting === undefined ? this.sink.room() : this.converting.then(() => this.sink.room())
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
    return this.converting === undefined ? this.subscription.revision() : undefined
  }
}

/** Size of the events that the selector shows, by the object before or after the change. */
function bytesOf(events: readonly CacheEvent[], filter: ObjectFilter | undefined): number {
  let bytes = 0
  for (const { object, previous } of events) {
    const isSeen = filter === undefined || filter(object) || (previous !== undefined && filter(previous))
    if (isSeen) bytes += object.sizeBytes
  }
  return bytes
}

/**
 * Applies a selector: an object that starts to match is ADDED, one that stops is DELETED with its last matching state.
 */
function filterEvents(events: readonly CacheEvent[], filter: ObjectFilter): SeenEvent[] {
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

/** The last matching state of an object, shown at the revision at which it stopped matching. */
function lastState(previous: CachedObject, revision: number): SeenEvent["object"] {
  return {
    json: () => withResourceVersion(previous.json(), revision),
    derived: (form, make) => previous.derived(`${form}@${revision}`, make),
  }
}
