/**
 * Get and list: the state that a request reads (specification section 4.6), pages of one snapshot (4.5), selectors. All
 * of them work on cached bytes. Only the filters and orders of extended lists parse objects, with their own reader.
 */
import { badRequest, expired, notFound, type ObjectRef, tooLargeResourceVersion } from "../base/errors.ts"
import { conflictAttemptsMax, staleReadTimeoutMs, unconfirmedVersionWaitMs } from "../base/limits.ts"
import { cut } from "../base/quote.ts"
import { type Trace, untraced } from "../base/trace.ts"
import { lookWork } from "../base/work.ts"
import type { CachedObject, ObjectRange, Selected, Snapshot } from "../storage/cache.ts"
import { StoreError } from "../storage/store.ts"
import { computedObject, computedSnapshot } from "./computed.ts"
import type { ContinueToken } from "./continue-token.ts"
import { convertedCandidates, presentPage } from "./converted-list.ts"
import { takeObjects, takeRuns, type TakenPage } from "./page-of.ts"
import type { KindHandle, Registry } from "./registry.ts"
import { scan } from "./scan.ts"
import { type ListOrder, sortedPage } from "./sorted-page.ts"
import type { ObjectFilter, ObjectWork } from "./object-filter.ts"
import type { VersionConversion } from "./version-conversion.ts"

/** The meaning of `resourceVersion` and `resourceVersionMatch`; see `verbs/list/list-options.ts`. */
export type Freshness =
  | { readonly mode: "most-recent" }
  | { readonly mode: "any" }
  | { readonly mode: "not-older"; readonly revision: number }
  | { readonly mode: "exact"; readonly revision: number }

export interface ListRequest {
  readonly namespace: string
  readonly freshness: Freshness
  /** 0: no limit. */
  readonly limit: number
  readonly continueToken: string
  /** Absent: every object in the namespace. */
  readonly filter?: ObjectFilter
  /** Time that `filter` takes for an object, in microseconds, for taking turns. Absent: little. */
  readonly filterWork?: ObjectWork
  /** A label or field value that `filter` requires, for lookup in an index. `sole`: `filter` checks nothing else. */
  readonly selected?: Selected & { readonly sole: boolean }
  /** Set if a selector names one object: only that object is read. */
  readonly name?: string
  /** Resource, namespace and selectors, to which a continue token is bound. */
  readonly tokenScope: string
  /** Absent: the order of the keys. */
  readonly order?: ListOrder
  /** The client wants only the number of objects. */
  readonly count?: boolean
  /** Aborted when the client is gone; ends a search. */
  readonly signal?: { readonly aborted: boolean }
  readonly trace?: Trace
}

export interface ListPage {
  /** 0: the objects are not stored, and the list has no version. */
  readonly revision: number
  readonly items: Iterable<CachedObject>
  /**
   * The same objects as ranges of neighbours, if none is left out between them. Callers read items or ranges, not both.
   */
  readonly runs?: Iterable<ObjectRange>
  readonly continueToken: string
  readonly remainingItemCount?: number
}

/** The reference to an object of this kind in errors. */
export function objectRefOf(handle: KindHandle, name?: string): ObjectRef {
  return { group: handle.kind.group, resource: handle.kind.resource, ...(name !== undefined && { name }) }
}

/**
 * Returns one object at the requested freshness. Throws 404, or 504 if the cache does not reach the revision in time.
 */
export async function getObject(
  registry: Registry,
  handle: KindHandle,
  options: { namespace: string; name: string; freshness: Freshness; trace?: Trace },
): Promise<CachedObject> {
  if (handle.kind.answeredBy !== undefined) return computedObject(registry, handle, options)
  const key = handle.key(options.namespace, options.name)
  const { cache } = handle
  const { freshness, trace = untraced } = options
  // Awaiting a finished promise would cost as much as the lookup itself.
  const atOnce = freshness.mode === "any" && !cache.readsStore
  const readsCache = atOnce || (await revisionToRead(registry, handle, freshness, trace)) === undefined
  const found = readsCache ? cache.get(key) : await trace.during("etcd", cache.getStored(key))
  if (found === undefined) throw notFound(objectRefOf(handle, options.name))
  return handle.conversion === undefined ? found : handle.conversion.one(found)
}

/**
 * As `awaitFreshness`, for reads that can go to the store instead. Returns undefined if the cache may be read, or the
 * revision to read from the store: always where the cache is disabled, and for the newest state after a short wait if
 * the store does not report the progress of its watches.
 */
async function revisionToRead(registry: Registry, handle: KindHandle, freshness: Freshness, trace: Trace): Promise<number | undefined> {
  if (handle.cache.readsStore) {
    if (freshness.mode === "not-older") await awaitFreshness(registry, handle, freshness, trace)
    return newestRevision(registry, handle, trace)
  }
  if (freshness.mode !== "most-recent" || registry.deps.store.reportsProgress !== false) {
    await awaitFreshness(registry, handle, freshness, trace)
    return undefined
  }
  const revision = await newestRevision(registry, handle, trace)
  return (await trace.during("etcd", handle.cache.waitFor(revision, unconfirmedVersionWaitMs))) ? undefined : revision
}

/** Most stores know it at once; measuring the wait would cost more than the wait. */
function newestRevision(registry: Registry, handle: KindHandle, trace: Trace): Promise<number> {
  const { cache, store } = registry.deps
  const revision = cache.consistentRevision(handle.kind.storage.path)
  return store.revisionNeedsRoundTrip === true ? trace.during("etcd", revision) : revision
}

/** Returns a page of a collection, or all of it. Throws 400, 410 or 504 as in section 4.6. */
export async function listObjects(registry: Registry, handle: KindHandle, request: ListRequest): Promise<ListPage> {
  const page = await listStored(registry, handle, request)
  if (handle.conversion === undefined) return page
  const { items, runs, ...rest } = page
  const presented = presentPage(handle.conversion, { items, ...(runs !== undefined && { runs }) })
  return { ...rest, ...(await (request.trace ?? untraced).during("decode-response-object", presented)) }
}

async function listStored(registry: Registry, handle: KindHandle, request: ListRequest): Promise<ListPage> {
  const { conversion } = handle
  const prefix = handle.prefix(request.namespace)
  const token = request.continueToken === "" ? undefined : registry.deps.tokens.decode(request.continueToken, request.tokenScope)
  const snapshot = await listedSnapshot(registry, handle, request, token)
  const startAfter = token?.startAfter
  const range = { prefix, ...(startAfter !== undefined && { startAfter }) }
  if (request.count === true) return countOf(snapshot, handle, request)
  if (request.name !== undefined) return { ...wholeList(snapshot), items: await oneObject(snapshot, handle, request) }
  // Without this error, the missing object would look deleted.
  const unreadable = handle.cache.undecodable(prefix)
  if (unreadable !== undefined) throw unreadable
  const { candidates, filter } =
    conversion === undefined ? narrowByIndex(snapshot, range, request) : await convertedFor(conversion, { snapshot, range, request })
  if (request.order !== undefined) return sortedList({ registry, request, order: request.order, snapshot, range, candidates, filter })
  const rest = { registry, request, snapshot, range, ...remainingOf(token) }
  if (candidates === undefined && filter === undefined) {
    const runs = snapshot.ranges(range)
    // Bounded: the writer of the list walks it, in turns.
    if (request.limit === 0) return { ...wholeList(snapshot), items: snapshot.entries(range), runs }
    return pageOf({ ...rest, taken: takeRuns(runs, request.limit) })
  }
  // Bounded: `scan` walks it in turns, or the writer of the list.
  const among = candidates ?? snapshot.entries(range)
  const items = filter === undefined ? among : await matching(among, filter, request)
  if (request.limit === 0) return { ...wholeList(snapshot), items }
  return pageOf({ ...rest, taken: takeObjects(items, request.limit) })
}

function listedSnapshot(registry: Registry, handle: KindHandle, request: ListRequest, token: ContinueToken | undefined): Promise<Snapshot> {
  if (handle.kind.answeredBy !== undefined) return computedSnapshot(registry, handle, request)
  return token === undefined ? indexedSnapshot(registry, handle, request) : tokenSnapshot(registry, handle, request, token)
}

/** The snapshot for a list. Builds the index of the selected values first, if that saves a scan of many objects. */
async function indexedSnapshot(
  registry: Registry,
  handle: KindHandle,
  { freshness, selected, trace = untraced }: ListRequest,
): Promise<Snapshot> {
  const snapshot = await snapshotFor(registry, handle, freshness, trace)
  // An index has the values of stored objects, not of converted ones.
  const indexed = selected === undefined || handle.conversion !== undefined ? undefined : handle.cache.prepareIndex(selected)
  if (indexed === undefined) return snapshot
  await indexed
  return snapshotFor(registry, handle, freshness, trace)
}

/** A token that continues in the newest state has no count for it. */
function remainingOf(token: ContinueToken | undefined): { remaining?: number } {
  return token?.remaining === undefined || token.revision === 0 ? {} : { remaining: token.remaining }
}

/** The part of a snapshot that a request reads. */
interface StateRange {
  readonly prefix: string
  readonly startAfter?: string
}

/** The candidates that an index has for the selected values, and the filter that still applies to them. */
function narrowByIndex(
  snapshot: Snapshot,
  { prefix, startAfter }: StateRange,
  { filter, selected }: ListRequest,
): { candidates?: readonly CachedObject[]; filter?: ObjectFilter } {
  const candidates = selected === undefined || startAfter !== undefined ? undefined : snapshot.selected({ prefix, selected })
  if (candidates === undefined) return filter === undefined ? {} : { filter }
  return selected?.sole === true || filter === undefined ? { candidates } : { candidates, filter }
}

/** Converting counts as the decoding of a list, with the time of the web hook, as in the reference. */
function convertedFor(
  conversion: VersionConversion,
  list: Parameters<typeof convertedCandidates>[1] & { request: ListRequest },
): ReturnType<typeof convertedCandidates> {
  return (list.request.trace ?? untraced).during("decode-response-object", convertedCandidates(conversion, list))
}

/** An empty list whose `remainingItemCount` is the number of matching objects. */
async function countOf(snapshot: Snapshot, handle: KindHandle, request: ListRequest): Promise<ListPage> {
  const empty = { ...wholeList(snapshot), items: [] }
  const range = { prefix: handle.prefix(request.namespace) }
  if (request.name !== undefined) return { ...empty, remainingItemCount: (await oneObject(snapshot, handle, request)).length }
  const { candidates, filter } =
    handle.conversion === undefined
      ? narrowByIndex(snapshot, range, request)
      : await convertedFor(handle.conversion, { snapshot, range, request })
  if (filter === undefined) return { ...empty, remainingItemCount: candidates?.length ?? snapshot.count(range) }
  let remainingItemCount = 0
  // Bounded: `scan` takes turns.
  await scan(candidates ?? snapshot.entries(range), scanOptions(request), (object) => {
    if (filter(object)) remainingItemCount++
    return true
  })
  return { ...empty, remainingItemCount }
}

/** The objects that pass the filter, up to one more than the limit: the extra one shows that another page follows. */
async function matching(among: Iterable<CachedObject>, filter: ObjectFilter, request: ListRequest): Promise<CachedObject[]> {
  const { limit } = request
  const found: CachedObject[] = []
  await scan(among, scanOptions(request), (object) => {
    if (filter(object)) found.push(object)
    return limit === 0 || found.length <= limit
  })
  return found
}

function scanOptions({ filterWork = () => 0, signal }: ListRequest): { work: ObjectWork; signal?: { readonly aborted: boolean } } {
  return { work: (object) => lookWork + filterWork(object), ...(signal !== undefined && { signal }) }
}

async function sortedList(options: {
  registry: Registry
  request: ListRequest
  order: ListOrder
  snapshot: Snapshot
  range: StateRange
  candidates: Iterable<CachedObject> | undefined
  filter: ObjectFilter | undefined
}): Promise<ListPage> {
  const { registry, request, order, snapshot, range, candidates, filter } = options
  const { filterWork, limit, signal, tokenScope } = request
  const { items, remaining } = await sortedPage({
    snapshot,
    ...range,
    ...(candidates !== undefined && { candidates }),
    order,
    limit,
    ...(filter !== undefined && { filter }),
    ...(filterWork !== undefined && { filterWork }),
    ...(signal !== undefined && { signal }),
  })
  const page = { revision: snapshot.revision, items }
  const last = items.at(-1)
  if (remaining === 0 || last === undefined) return { ...page, continueToken: "" }
  const continueToken = registry.deps.tokens.encode({ revision: snapshot.revision, startAfter: last.key }, tokenScope)
  return { ...page, continueToken, ...(request.filter === undefined && { remainingItemCount: remaining }) }
}

/** Waits until the cache may serve a read at this freshness. Throws 504 after `staleReadTimeoutMs`. */
export async function awaitFreshness(registry: Registry, handle: KindHandle, freshness: Freshness, trace: Trace = untraced): Promise<void> {
  if (freshness.mode === "any") return
  const revision = freshness.mode === "most-recent" ? await newestRevision(registry, handle, trace) : freshness.revision
  if (handle.cache.revision() >= revision) return
  if (freshness.mode === "most-recent") registry.deps.store.advanceWatches?.(revision, handle.prefix(""))
  const isThere = await trace.during("etcd", handle.cache.waitFor(revision, staleReadTimeoutMs))
  if (!isThere) throw tooLargeResourceVersion(revision, handle.cache.revision())
}

/** The snapshot that a list, or the start of a watch, shows. Throws 410 or 504. */
export async function snapshotFor(
  registry: Registry,
  handle: KindHandle,
  freshness: Freshness,
  trace: Trace = untraced,
): Promise<Snapshot> {
  if (freshness.mode === "exact") {
    await awaitFreshness(registry, handle, freshness, trace)
    return requireSnapshot(freshness.revision, await trace.during("etcd", snapshotAt(handle, freshness.revision)))
  }
  for (let attempt = 1; ; attempt++) {
    const newest = await revisionToRead(registry, handle, freshness, trace)
    if (newest === undefined) return handle.cache.snapshot()
    const snapshot = await trace.during("etcd", handle.cache.snapshotStored(newest))
    // A compaction may pass the revision before it is read; the next attempt reads a newer one.
    if (snapshot !== undefined || attempt >= conflictAttemptsMax) return requireSnapshot(newest, snapshot)
  }
}

function requireSnapshot(revision: number, snapshot: Snapshot | undefined): Snapshot {
  if (snapshot === undefined) throw expired(`The resourceVersion for the provided list is too old. ${revision} is no longer kept.`)
  return snapshot
}

async function tokenSnapshot(registry: Registry, handle: KindHandle, request: ListRequest, token: ContinueToken): Promise<Snapshot> {
  const { trace = untraced } = request
  if (token.revision === 0) return snapshotFor(registry, handle, { mode: "most-recent" }, trace)
  // Another server may have served the previous page, from a newer cache.
  await awaitFreshness(registry, handle, { mode: "not-older", revision: token.revision }, trace)
  const snapshot = await trace.during("etcd", snapshotAt(handle, token.revision))
  if (snapshot !== undefined) return snapshot
  if (request.order !== undefined)
    throw expired("The provided continue parameter is too old, and a sorted list cannot go on in another state: start the list again")
  const fresh = registry.deps.tokens.encode({ ...token, revision: 0 }, request.tokenScope)
  throw expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    fresh,
  )
}

async function snapshotAt(handle: KindHandle, revision: number): Promise<Snapshot | undefined> {
  try {
    return await (handle.cache.readsStore ? handle.cache.snapshotStored(revision) : handle.cache.snapshotAt(revision))
  } catch (error) {
    if (error instanceof StoreError && error.code === "compacted") return undefined
    throw error
  }
}

function wholeList(snapshot: Snapshot): Omit<ListPage, "items"> {
  return { revision: snapshot.revision, continueToken: "" }
}

async function oneObject(snapshot: Snapshot, handle: KindHandle, request: ListRequest): Promise<readonly CachedObject[]> {
  const key = handle.key(request.namespace, request.name ?? "")
  // Bounded: ends with the first object.
  for (const entry of snapshot.entries({ prefix: key })) {
    if (entry.key !== key) break
    const object = handle.conversion === undefined ? entry : await handle.conversion.one(entry)
    return request.filter === undefined || request.filter(object) ? [object] : []
  }
  return []
}

function pageOf(options: {
  registry: Registry
  request: ListRequest
  snapshot: Snapshot
  range: StateRange
  readonly taken: TakenPage
  /** Objects of the snapshot after the previous page, if that page counted them. */
  remaining?: number
}): ListPage {
  const { registry, request, snapshot, range, taken } = options
  const { count, items, last, more, runs } = taken
  const page = { revision: snapshot.revision, items, ...(runs !== undefined && { runs }) }
  if (!more || last === undefined) return { ...page, continueToken: "" }
  const token = { revision: snapshot.revision, startAfter: last.key }
  if (request.filter !== undefined) return { ...page, continueToken: registry.deps.tokens.encode(token, request.tokenScope) }
  // Counting may visit every leaf: only the first page counts, and a list of everything never does.
  const remaining = (options.remaining ?? snapshot.count(range)) - count
  return { ...page, continueToken: registry.deps.tokens.encode({ ...token, remaining }, request.tokenScope), remainingItemCount: remaining }
}

const uint64Max = 2n ** 64n - 1n

/**
 * Parses a version as clients send it: an unsigned 64-bit integer. Large ones lose precision, but they are in the
 * future anyway. Throws 400; the reference answers 500, which blames the server for an error of the client.
 */
export function parseRevision(text: string, of: "options" | "object" = "options"): number {
  if (!/^\d{1,32}$/.test(text) || BigInt(text) > uint64Max) {
    const found = JSON.stringify(cut(text))
    const why = /^\d+$/.test(text) ? "value out of range" : "invalid syntax"
    const parsing = `strconv.ParseUint: parsing ${found}: ${why}`
    const reference = of === "object" ? parsing : `resourceVersion: Invalid value: ${found}: ${parsing}`
    throw badRequest(`${reference}: resourceVersion must be one that this server gave, or be left out`)
  }
  return Number(text)
}
