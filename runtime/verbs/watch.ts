/** GET with `watch`: events as frames, each made once and shared by every watcher. Specification sections 4.4 and 6.1. */
import type { Writable } from "node:stream"
import { ApiError, expired, internal } from "../errors.ts"
import { watchQueueBytesMax } from "../limits.ts"
import { storeFailure } from "../registry/commit.ts"
import type { Freshness } from "../registry/read.ts"
import { parseRevision } from "../registry/read.ts"
import { type SeenEvent, watchObjects, type WatchRequest } from "../registry/watch.ts"
import { StoreError } from "../storage/store.ts"
import { failureStatus } from "../wire/status.ts"
import { type Call, collectionScope, representation } from "./call.ts"
import { frames } from "./frames.ts"
import { type ListOptions, readListOptions } from "./list-options.ts"

const bookmarkIntervalMs = 60_000

/** Streams until the client goes, the timeout passes, the server stops, or the client cannot keep up. */
export async function watchVerb(call: Call): Promise<void> {
  const { parts, outgoing } = call
  const options = readListOptions(call.request.query, { watch: true, watchList: parts.settings.watchList })
  const wanted = representation(call, { list: false, watch: true })
  const framer = frames(call, wanted)
  const start = startOf(options)
  const scope = collectionScope(call)
  outgoing.writeHead(200, {
    "content-type": wanted.contentType,
    "cache-control": "no-cache, private",
    ...(call.incoming.httpVersionMajor === 1 && { "transfer-encoding": "chunked" }),
  })
  // HTTP/2 sends its headers at once; HTTP/1.1 would wait for the first event.
  if ("flushHeaders" in outgoing) outgoing.flushHeaders()
  const stream = new WatchStream(call, options)
  const request: WatchRequest = {
    namespace: scope.namespace,
    ...(scope.name !== undefined && { name: scope.name }),
    ...(scope.filter !== undefined && { filter: scope.filter }),
    start,
    onEvents: (events) =>
      stream.send(
        events.map((event: SeenEvent) => framer.event(event)),
        events.at(-1)?.revision,
      ),
    onInitialEnd: (revision) => {
      if (options.sendInitialEvents === true && options.allowBookmarks) stream.send([framer.bookmark(revision, true)], revision)
    },
    onProgress: (revision) => stream.progress(revision, (at) => framer.bookmark(at, false)),
    onEnd: (error) => fail(error),
  }
  try {
    const subscription = await watchObjects(call.registry, call.handle, request)
    stream.onEnd(() => subscription.stop())
  } catch (error) {
    fail(error)
  }

  /** The client learns why: 410 makes it list again, anything else makes it come back. */
  function fail(error: unknown): void {
    stream.send([framer.error(failureStatus(watchError(error), parts.vendor))])
    stream.end()
  }
}

function watchError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof StoreError)
    return error.code === "compacted" ? expired(`too old resource version: ${error.message}`) : storeFailure(error)
  return internal("the watch failed unexpectedly")
}

/** The watch table of section 4.6. Throws 400. */
function startOf(options: ListOptions): WatchRequest["start"] {
  const { resourceVersion } = options
  const revision = resourceVersion === "" ? undefined : parseRevision(resourceVersion)
  const anyState: Freshness = { mode: "any" }
  if (options.sendInitialEvents === true) {
    const freshness: Freshness =
      revision === undefined ? { mode: "most-recent" } : revision === 0 ? anyState : { mode: "not-older", revision }
    return { from: "state", freshness }
  }
  if (revision === undefined && options.sendInitialEvents === undefined) return { from: "state", freshness: { mode: "most-recent" } }
  if (revision === 0) return { from: "state", freshness: anyState }
  return { from: "revision", revision: revision ?? 0 }
}

/** One client's stream: bounded queue, bookmarks, timeout. */
class WatchStream {
  private readonly call: Call
  private readonly bookmarks: boolean
  private ended = false
  private sentRevision = 0
  private lastBookmarkMs: number
  private endCallbacks: (() => void)[] = []

  constructor(call: Call, options: ListOptions) {
    this.call = call
    this.bookmarks = options.allowBookmarks
    const { clock, random, settings, stopping } = call.parts
    this.lastBookmarkMs = clock.nowMs()
    const timeoutMs =
      options.timeoutSeconds === undefined || options.timeoutSeconds <= 0
        ? settings.minRequestTimeoutMs + random.integer(Math.max(1, settings.minRequestTimeoutMs))
        : options.timeoutSeconds * 1000
    this.onEnd(clock.after(timeoutMs, () => this.end()))
    const stop = () => this.end()
    call.request.signal.addEventListener("abort", stop)
    stopping.addEventListener("abort", stop)
    this.onEnd(() => stopping.removeEventListener("abort", stop))
  }

  /** Runs `callback` when the stream ends, at once when it has. */
  onEnd(callback: () => void): void {
    if (this.ended) callback()
    else this.endCallbacks.push(callback)
  }

  /** Writes shared frames. A client that lets too much pile up is ended; it resumes from its last event. */
  send(frames: readonly Buffer[], revision?: number): void {
    if (this.ended || frames.length === 0) return
    const outgoing: Writable = this.call.outgoing
    if (revision !== undefined) this.sentRevision = revision
    if (frames.length === 1 && frames[0] !== undefined) outgoing.write(frames[0])
    else outgoing.write(Buffer.concat(frames))
    if (outgoing.writableLength > watchQueueBytesMax) this.end()
  }

  /** Everything up to `revision` was sent: a bookmark, at most once a minute. */
  progress(revision: number, bookmark: (revision: number) => Buffer): void {
    const nowMs = this.call.parts.clock.nowMs()
    if (!this.bookmarks || this.ended || revision <= this.sentRevision || nowMs - this.lastBookmarkMs < bookmarkIntervalMs) return
    this.lastBookmarkMs = nowMs
    this.send([bookmark(revision)], revision)
  }

  end(): void {
    if (this.ended) return
    this.ended = true
    for (const callback of this.endCallbacks) callback()
    this.endCallbacks = []
    this.call.outgoing.end()
  }
}
