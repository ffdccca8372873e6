/** Watches: where the stream starts (specification section 4.6), and what a selector makes of an event. Frames are the verb's business. */
import { assert } from "../assert.ts"
import type { CachedObject, CacheEvent, Subscription } from "../storage/cache.ts"
import type { StoreError } from "../storage/store.ts"
import { withResourceVersion } from "../storage/watch-cache/resource-version.ts"
import { awaitFreshness, type Freshness, type ObjectFilter } from "./read.ts"
import type { KindHandle, Registry } from "./registry.ts"

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
  readonly start: /** Every object there is, as ADDED, then what follows. */
    | { readonly from: "state"; readonly freshness: Freshness }
    /** What follows this revision. Throws StoreError "compacted". */
    | { readonly from: "revision"; readonly revision: number }
  readonly onEvents: (events: readonly SeenEvent[]) => void
  /** After the last initial event; `revision` is what the state showed. Only with start from state. */
  readonly onInitialEnd?: (revision: number) => void
  readonly onProgress: (revision: number) => void
  /** The watch cannot go on: history was lost, or the store. */
  readonly onEnd: (error: StoreError) => void
}

/** Called by the watch verb. Initial events are delivered before it resolves, in order before all others. */
export async function watchObjects(registry: Registry, handle: KindHandle, request: WatchRequest): Promise<Subscription> {
  const prefix = handle.prefix(request.namespace)
  if (request.start.from === "revision") return subscribe(handle, request, request.start.revision)
  await awaitFreshness(registry, handle, request.start.freshness)
  const snapshot = handle.cache.snapshot()
  const first: SeenEvent[] = []
  const only = request.name === undefined ? undefined : handle.key(request.namespace, request.name)
  for (const object of snapshot.entries({ prefix: only ?? prefix })) {
    if (only !== undefined && object.key !== only) break
    if (request.filter === undefined || request.filter(object)) first.push({ type: "ADDED", revision: object.modRevision, object })
  }
  request.onEvents(first)
  request.onInitialEnd?.(snapshot.revision)
  return subscribe(handle, request, snapshot.revision)
}

function subscribe(handle: KindHandle, request: WatchRequest, afterRevision: number): Subscription {
  const inResource = request.namespace === "" ? "" : `${request.namespace}/`
  return handle.cache.subscribe({
    prefix: request.name === undefined ? inResource : `${inResource}${request.name}`,
    exact: request.name !== undefined,
    afterRevision,
    onEvents: (events) => {
      const seen = request.filter === undefined ? events.map(plain) : through(events, request.filter)
      if (seen.length > 0) request.onEvents(seen)
    },
    onProgress: request.onProgress,
    onEnd: request.onEnd,
  })
}

function plain(event: CacheEvent): SeenEvent {
  return { type: event.type, revision: event.revision, object: event.object }
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
