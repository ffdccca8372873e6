/**
 * The watch of one client. Thousands may be idle, so a stream keeps only its output, its subscription and three times,
 * and nothing of the request.
 */
import { ApiError, expired, internal } from "../../base/errors.ts"
import { watchQueueBytesMax, watchWaitingBytesMax } from "../../base/limits.ts"
import { storeFailure } from "../../registry/commit.ts"
import type { OpenWatches, TimedWatch } from "../../registry/open-watches.ts"
import type { SeenEvent, StartedWatch, WatchSink } from "../../registry/watch.ts"
import { StoreError } from "../../storage/store.ts"
import type { Framer } from "./frames.ts"
import type { WatchEnd, WatchOutput } from "./watch-output.ts"

/** The reference's interval between bookmarks, and its time from the last one to the end of a watch. */
const bookmarkIntervalMs = 60_000
const bookmarkBeforeEndMs = 2000

export interface WatchStreamOptions<Frame = Buffer> {
  readonly output: WatchOutput<Frame>
  readonly framer: Framer<Frame>
  readonly watches: OpenWatches
  /** Elapsed time at the start, and at the latest end. */
  readonly elapsedMs: number
  readonly endMs: number
  readonly bookmarks: boolean
  /** Send a bookmark at the end of the initial events. */
  readonly marksInitialEnd: boolean
}

/** Streams until the client is gone, the timeout passes, the server stops, or the client cannot keep up. */
export class WatchStream<Frame = Buffer> implements WatchSink, TimedWatch {
  private readonly output: WatchOutput<Frame>
  private readonly framer: Framer<Frame>
  private readonly watches: OpenWatches
  private readonly endMs: number
  /** Time of the next bookmark; Infinity: none. */
  private bookmarkMs = Number.POSITIVE_INFINITY
  private readonly marksInitialEnd: boolean
  private watch: StartedWatch | undefined
  /** Resolves the pending `room()`. */
  private wake: (() => void) | undefined
  private ended = false

  constructor(options: WatchStreamOptions<Frame>) {
    this.output = options.output
    this.framer = options.framer
    this.watches = options.watches
    this.endMs = options.endMs
    this.marksInitialEnd = options.marksInitialEnd
    if (options.bookmarks) this.bookmarkMs = this.nextBookmarkMs(options.elapsedMs)
    this.watches.open(this, Math.min(this.endMs, this.bookmarkMs))
    this.output.onClose(() => this.close())
  }

  get workPerEvent(): number {
    return this.framer.workPerEvent
  }

  get over(): boolean {
    return this.ended
  }

  /** Called when the watch has started. The stream stops it when it ends. */
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

  /** Ends the watch of a client with too large a backlog. It can resume from its last event. */
  missed(bytes: number): void {
    if (bytes > watchQueueBytesMax) this.end("done")
  }

  /**
   * Sends the error: on 410 a client lists again, on any other it reconnects. A watch of a definition's objects ends
   * without an error when the definition changes, as in the reference.
   */
  fail(error: unknown): void {
    if (error instanceof StoreError && error.code === "released") return this.end("done")
    this.send([this.framer.error(watchError(error))])
    this.end("done")
  }

  due(elapsedMs: number): number {
    if (elapsedMs >= this.endMs) {
      this.end("done")
      return Number.POSITIVE_INFINITY
    }
    if (elapsedMs >= this.bookmarkMs) {
      this.bookmarkMs = this.nextBookmarkMs(elapsedMs)
      this.sendBookmark()
    }
    return Math.min(this.endMs, this.bookmarkMs)
  }

  stop(): void {
    this.end("stopping")
  }

  /** Sends no bookmark until the revision has moved past the start, which the client already has. */
  private sendBookmark(): void {
    const revision = this.watch?.revision()
    if (this.watch === undefined || revision === undefined || revision <= this.watch.startRevision) return
    this.send([this.framer.bookmark(revision, false)])
  }

  /** Every minute, and shortly before the end, so that a client that resumes has little to catch up with. */
  private nextBookmarkMs(elapsedMs: number): number {
    const beforeEndMs = this.endMs - bookmarkBeforeEndMs
    return beforeEndMs > elapsedMs ? Math.min(beforeEndMs, elapsedMs + bookmarkIntervalMs) : elapsedMs + bookmarkIntervalMs
  }

  private send(frames: readonly Frame[]): void {
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

/** Clients take the second version, the one in parentheses, to be the oldest from which they may resume. */
function tooOld({ asked, revision, message }: StoreError): ApiError {
  const isKnown = asked !== undefined && revision !== undefined
  return expired(`too old resource version: ${isKnown ? `${asked} (${revision}): ` : ""}${message}`)
}
