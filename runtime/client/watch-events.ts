/** The watch of a program in this process: an iteration that resumes where its stream ended. */
import type { ApiError } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import type { SeenEvent } from "../registry/watch.ts"
import type { WatchEvent, WatchOptions } from "../schema/object-client.ts"
import type { ObjectRequest } from "../verbs/call.ts"
import { objectOf } from "../verbs/represent.ts"
import type { Framer } from "../verbs/watch/frames.ts"
import type { WatchEnd, WatchOutput } from "../verbs/watch/watch-output.ts"
import { WatchStream } from "../verbs/watch/watch-stream.ts"
import { beginWatch, type watchedBy } from "../verbs/watch/watch.ts"
import { clientError } from "./client-error.ts"

/** An item of the iteration. A mark only states that the client now knows the state of a revision. */
type Frame = SeenEvent | { readonly type: "MARK"; readonly revision: number } | { readonly type: "ERROR"; readonly error: ApiError }

const framer: Framer<Frame> = {
  workPerEvent: 1,
  events: (events) => events,
  bookmark: (revision) => ({ type: "MARK", revision }),
  error: (error) => ({ type: "ERROR", error }),
}

/** A watch whose user may call it, with checked options. */
export interface OpenedWatch {
  readonly call: ObjectRequest
  readonly watched: ReturnType<typeof watchedBy>
  /** Called when the watch is no longer read. */
  readonly end: () => void
}

/**
 * Iterates over events until the time is over, the signal is aborted, or the server stops. `open` starts a request; it
 * is called again when the stream ended because the program was slow, and the watch then resumes after the last event.
 * Throws the errors of `open`, and 410.
 */
export async function* watchEvents(
  open: (options: WatchOptions) => Promise<OpenedWatch>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent, void, undefined> {
  const { signal, timeoutSeconds, ...asked } = options
  const queue = new FrameQueue()
  const close = (): void => queue.close()
  if (signal?.aborted === true) return
  signal?.addEventListener("abort", close)
  let { resourceVersion } = options
  let endMs: number | undefined
  let end = (): void => undefined
  try {
    do {
      const opened = await open({ ...asked, ...(resourceVersion !== undefined && { resourceVersion }) })
      const { call } = opened
      end = opened.end
      endMs ??= endOf(call, timeoutSeconds)
      follow(opened, queue, endMs)
      for (let frame = await queue.take(); frame !== undefined; frame = await queue.take()) {
        if (frame.type === "ERROR") throw clientError(frame.error, call.parts.vendor)
        resourceVersion = String(frame.revision)
        if (frame.type !== "MARK") yield { type: frame.type, object: shown(call, frame) }
      }
      end()
      if (queue.isOver || call.parts.clock.elapsedMs() >= endMs) return
    } while (resourceVersion !== undefined)
  } finally {
    end()
    signal?.removeEventListener("abort", close)
    queue.close()
  }
}

function shown({ handle }: ObjectRequest, { object }: SeenEvent): ApiObject {
  return objectOf(handle, object)
}

function endOf({ parts: { clock } }: ObjectRequest, timeoutSeconds: number | undefined): number {
  return timeoutSeconds === undefined ? Number.POSITIVE_INFINITY : clock.elapsedMs() + timeoutSeconds * 1000
}

/** Starts the stream of a request. Does not wait for it: the first events may need a reader. */
function follow({ call, watched }: OpenedWatch, queue: FrameQueue, endMs: number): void {
  const { options: _options, ...selection } = watched
  const { clock, watches } = call.parts
  queue.open()
  const stream = new WatchStream<Frame>({
    output: queue,
    framer,
    watches,
    elapsedMs: clock.elapsedMs(),
    endMs,
    bookmarks: false,
    marksInitialEnd: true,
  })
  void beginWatch(call, stream, { ...selection, sink: stream })
}

/** The frames that the iteration has not taken yet. */
class FrameQueue implements WatchOutput<Frame> {
  waitingBytes = 0
  /** The program has left, or the server stops: there is nothing to resume. */
  isOver = false
  private frames: Frame[] = []
  /** Index of the next frame; taken ones before it are dropped together. */
  private next = 0
  private ended = false
  private wake: (() => void) | undefined
  private drained: (() => void) | undefined
  private closing: (() => void)[] = []

  /** Called before each stream. */
  open(): void {
    this.ended = this.isOver
    this.closing = []
  }

  /** The next frame; undefined when the stream has ended. */
  async take(): Promise<Frame | undefined> {
    // Bounded: waits until there is a frame.
    while (this.next === this.frames.length && !this.ended) await this.written()
    const frame = this.frames[this.next]
    if (frame === undefined) return undefined
    this.waitingBytes -= bytesOf(frame)
    this.next++
    if (this.next < this.frames.length) return frame
    this.clear()
    this.drain()
    return frame
  }

  write(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.frames.push(frame)
      this.waitingBytes += bytesOf(frame)
    }
    this.wake?.()
  }

  end(why: WatchEnd): void {
    if (why === "stopping") this.isOver = true
    this.ended = true
    this.wake?.()
  }

  /** Called when the program has left. */
  close(): void {
    if (this.isOver && this.ended) return
    this.isOver = true
    this.clear()
    for (const callback of this.closing) callback()
    this.end("done")
    this.drain()
  }

  onClose(callback: () => void): void {
    if (this.isOver) callback()
    else this.closing.push(callback)
  }

  onceDrained(callback: () => void): void {
    this.drained = callback
  }

  private clear(): void {
    this.frames = []
    this.next = 0
    this.waitingBytes = 0
  }

  private drain(): void {
    const { drained } = this
    this.drained = undefined
    drained?.()
  }

  private written(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }
}

function bytesOf(frame: Frame): number {
  return frame.type === "MARK" || frame.type === "ERROR" ? 0 : frame.object.json().byteLength
}
