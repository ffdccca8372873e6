/**
 * One client's watch. There may be thousands of these that wait for something to happen: a stream keeps where it writes to, what it is subscribed
 * to and three times, and nothing of the request that opened it.
 */
import { ApiError, expired, internal } from "../../base/errors.ts"
import type { ApiObject } from "../../base/json.ts"
import { watchQueueBytesMax, watchWaitingBytesMax } from "../../base/limits.ts"
import { storeFailure } from "../../registry/commit.ts"
import type { OpenWatches, TimedWatch } from "../../registry/open-watches.ts"
import type { SeenEvent, StartedWatch, WatchSink } from "../../registry/watch.ts"
import { StoreError } from "../../storage/store.ts"
import type { Framer } from "./frames.ts"
import type { WatchEnd, WatchOutput } from "./watch-output.ts"

/** As often as the reference sends bookmarks, and as long before the end of a watch. */
const bookmarkIntervalMs = 60_000
const bookmarkBeforeEndMs = 2000

export interface WatchStreamOptions {
  readonly output: WatchOutput
  readonly framer: Framer
  readonly watches: OpenWatches
  readonly nowMs: number
  readonly endMs: number
  readonly bookmarks: boolean
  /** A bookmark ends the initial events. */
  readonly marksInitialEnd: boolean
  /** Who watches is told why a watch ends too early. */
  readonly status: (error: ApiError) => ApiObject
}

/** Streams until the client goes, the timeout passes, the server stops, or the client cannot keep up. */
export class WatchStream implements WatchSink, TimedWatch {
  private readonly output: WatchOutput
  private readonly framer: Framer
  private readonly watches: OpenWatches
  private readonly status: (error: ApiError) => ApiObject
  private readonly endMs: number
  /** When the next bookmark is due; Infinity without. */
  private bookmarkMs = Number.POSITIVE_INFINITY
  private readonly marksInitialEnd: boolean
  private watch: StartedWatch | undefined
  /** What waits for room. */
  private wake: (() => void) | undefined
  private ended = false

  constructor(options: WatchStreamOptions) {
    this.output = options.output
    this.framer = options.framer
    this.watches = options.watches
    this.status = options.status
    this.endMs = options.endMs
    this.marksInitialEnd = options.marksInitialEnd
    if (options.bookmarks) this.bookmarkMs = this.nextBookmarkMs(options.nowMs)
    this.watches.open(this, Math.min(this.endMs, this.bookmarkMs))
    this.output.onClose(() => this.close())
  }

  get workPerEvent(): number {
    return this.framer.workPerEvent
  }

  get over(): boolean {
    return this.ended
  }

  /** Called when the watch has begun; it is stopped with the stream. */
  follow(watch: StartedWatch): void {
    if (this.ended) watch.stop()
    else this.watch = watch
  }

  events(events: readonly SeenEvent[]): void {
    this.send(this.framer.events(events))
  }

  initialEnd(revision: number): void {
    if (this.marksInitialEnd) this.send([this.framer.bookmark(revision, true)])
  }

  room(): Promise<void> | undefined {
    const { output } = this
    if (this.ended || output.waitingBytes <= watchWaitingBytesMax) return undefined
    return new Promise((resolve) => {
      this.wake = resolve
      output.onceDrained(resolve)
    })
  }

  get waitingBytes(): number {
    return this.output.waitingBytes
  }

  /** A client that lets too much pile up is ended; it resumes from its last event. */
  missed(bytes: number): void {
    if (bytes > watchQueueBytesMax) this.end("done")
  }

  /** The client learns why: 410 makes it list again, anything else makes it come back. */
  fail(error: unknown): void {
    this.send([this.framer.error(this.status(watchError(error)))])
    this.end("done")
  }

  due(nowMs: number): number {
    if (nowMs >= this.endMs) {
      this.end("done")
      return Number.POSITIVE_INFINITY
    }
    if (nowMs >= this.bookmarkMs) {
      this.bookmarkMs = this.nextBookmarkMs(nowMs)
      this.sendBookmark()
    }
    return Math.min(this.endMs, this.bookmarkMs)
  }

  stop(): void {
    this.end("stopping")
  }

  /** Tells nothing to who has seen nothing but its start: that it knows already. */
  private sendBookmark(): void {
    const revision = this.watch?.revision()
    if (this.watch === undefined || revision === undefined || revision <= this.watch.startRevision) return
    this.send([this.framer.bookmark(revision, false)])
  }

  /** Every minute, and shortly before the end, so that whoever resumes is nearly there. */
  private nextBookmarkMs(nowMs: number): number {
    const beforeEndMs = this.endMs - bookmarkBeforeEndMs
    return beforeEndMs > nowMs ? Math.min(beforeEndMs, nowMs + bookmarkIntervalMs) : nowMs + bookmarkIntervalMs
  }

  private send(frames: readonly Buffer[]): void {
    if (!this.ended && frames.length > 0) this.output.write(frames)
  }

  private end(why: WatchEnd): void {
    if (this.ended) return
    this.close()
    this.output.end(why)
  }

  private close(): void {
    this.ended = true
    this.watches.remove(this)
    this.watch?.stop()
    this.watch = undefined
    this.wake?.()
  }
}

function watchError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof StoreError) return error.code === "compacted" ? tooOld(error) : storeFailure(error)
  return internal("the watch failed unexpectedly")
}

/** Clients take the version behind the one that they asked for to be the oldest that they may resume from. */
function tooOld({ asked, revision, message }: StoreError): ApiError {
  const isKnown = asked !== undefined && revision !== undefined
  return expired(`too old resource version: ${isKnown ? `${asked} (${revision}): ` : ""}${message}`)
}
