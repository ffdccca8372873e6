/**
 * GET with `watch`, or on a `/watch/` path: a stream of events. Specification sections 4.4, 4.6 and 6.1; edge cases as
 * in the reference.
 */
import { badRequest } from "../../base/errors.ts"
import { booleanParameter, textParameter } from "../../http/request/query.ts"
import type { Freshness } from "../../registry/read.ts"
import { parseRevision } from "../../registry/read.ts"
import { watchObjects, type WatchRequest, type WatchStart } from "../../registry/watch.ts"
import { type CollectionScope, collectionScope, negotiateResponse, type ObjectRequest, type ResourceRequest } from "../call.ts"
import { frames } from "./frames.ts"
import { type ListOptions, readListOptions, readSelection } from "../list/list-options.ts"
import { openAnswer } from "./watch-output.ts"
import { WatchStream } from "./watch-stream.ts"
import { openWebSocket } from "../websocket/watch-websocket.ts"
import { checkWebSocket } from "../websocket/websocket.ts"

/**
 * Returns when the watch has started. Throws ApiError for an invalid request; later errors are events of the stream.
 */
export async function watchVerb(call: ResourceRequest): Promise<void> {
  const { parts } = call
  const format = negotiateResponse(call, { list: false, watch: true })
  const { options, ...selection } = watchedBy(call)
  const framer = frames(call, format)
  const isWebSocket = checkWebSocket(call)
  const output = isWebSocket ? openWebSocket(call, format) : openAnswer(call, format)
  call.request.audit?.started(isWebSocket ? 101 : 200)
  const elapsedMs = parts.clock.elapsedMs()
  const stream = new WatchStream({
    output,
    framer,
    watches: parts.watches,
    elapsedMs,
    endMs: elapsedMs + lifeMs(call, options),
    bookmarks: options.allowBookmarks,
    marksInitialEnd: options.sendInitialEvents === true && options.allowBookmarks,
  })
  // After the stream's own listener: code that runs at the end of the request then sees the stream ended.
  call.request.streamUntil((closed) => output.onClose(closed))
  await beginWatch(call, stream, { ...selection, sink: stream })
}

/** Reads the objects that a watch shows, its start, and its options. Throws 400 or 422. */
export function watchedBy(call: ObjectRequest): Omit<WatchRequest, "sink"> & { readonly options: ListOptions } {
  const options = watchOptions(call)
  const { namespace, name, filter } = watchScope(call)
  const start = startOf(options)
  return { options, namespace, ...(name !== undefined && { name }), ...(filter !== undefined && { filter }), start }
}

/** Begins the events of a stream. An error becomes the stream's last frame. */
export async function beginWatch<Frame>(call: ObjectRequest, stream: WatchStream<Frame>, request: WatchRequest): Promise<void> {
  stream.due(call.parts.clock.elapsedMs())
  // A negative timeout has already passed.
  if (stream.over) return
  try {
    stream.follow(await watchObjects(call.registry, call.handle, request))
  } catch (error) {
    stream.fail(error)
  }
}

/**
 * Requests on `/watch/` paths are checked as lists unless they set `watch` too, as in the reference. Throws 400 or 422.
 */
function watchOptions(call: ObjectRequest): ListOptions {
  const { info, query } = call.request
  const watchList = call.parts.options["feature-gates"].WatchList === true
  const asWatch = !info.watchPath || booleanParameter(query, "watch") === true
  const options = readListOptions(query, { watch: asWatch, watchList })
  const begins = options.resourceVersion === "" || options.resourceVersion === "0"
  // With the gate on, a watch that starts with the state is a streamed list, even if it does not ask to be.
  const streamed = watchList && asWatch && begins && options.sendInitialEvents === undefined
  return streamed ? { ...options, sendInitialEvents: true } : options
}

/** On a path that names an object, a field selector must name the same object. Throws 400. */
function watchScope(call: ObjectRequest): CollectionScope {
  const { info, query } = call.request
  if (info.name !== "" && textParameter(query, "fieldSelector") !== "" && readSelection(query, call.handle).name !== info.name)
    throw badRequest(
      `fieldSelector metadata.name doesn't match requested name: leave fieldSelector out, or select metadata.name=${info.name}`,
    )
  return collectionScope(call)
}

/** Where the watch starts, from the watch table of section 4.6. Throws 400. */
function startOf({ resourceVersion, sendInitialEvents }: ListOptions): WatchStart {
  const revision = resourceVersion === "" ? undefined : parseRevision(resourceVersion)
  if (revision !== undefined && revision !== 0 && sendInitialEvents !== true) return { from: "revision", revision }
  return { from: sendInitialEvents === false ? "now" : "state", freshness: startFreshness(revision) }
}

function startFreshness(revision: number | undefined): Freshness {
  if (revision === undefined) return { mode: "most-recent" }
  return revision === 0 ? { mode: "any" } : { mode: "not-older", revision }
}

/**
 * Duration of the watch in milliseconds: as requested, else random between the minimum and twice that, so that the
 * clients of a server do not all reconnect at once.
 */
function lifeMs({ parts }: ResourceRequest, { timeoutSeconds }: ListOptions): number {
  const minRequestTimeoutMs = parts.options["min-request-timeout"] * 1000
  if (timeoutSeconds !== undefined && timeoutSeconds !== 0) return timeoutSeconds * 1000
  return minRequestTimeoutMs + parts.random.integer(Math.max(1, minRequestTimeoutMs))
}
