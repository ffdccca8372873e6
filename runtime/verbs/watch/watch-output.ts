/** The destination of a watch's frames: an HTTP response, or a websocket (`watch-websocket.ts`). */
import { watchWriteBytes } from "../../base/limits.ts"
import type { Outgoing } from "../../http/exchange.ts"
import { warningHeaders } from "../../wire/send.ts"
import type { ResourceRequest, ResponseFormat } from "../call.ts"

/** Why a watch ended: `done` for its timeout or lost history, `stopping` when the server stops. */
export type WatchEnd = "done" | "stopping"

export interface WatchOutput<Frame = Buffer> {
  /** Sends frames. All watchers share them: do not modify them. */
  write(frames: readonly Frame[]): void
  /** Bytes that the client has not read yet. */
  readonly waitingBytes: number
  /** Ends the stream after the written frames. */
  end(why: WatchEnd): void
  /** Calls back when the client is gone or the end was sent; at once if that has already happened. */
  onClose(callback: () => void): void
  /** Calls back once the client has read the waiting bytes. */
  onceDrained(callback: () => void): void
}

/** Sends the head of the response. Called after every check that can refuse the request. */
export function openAnswer(
  {
    incoming,
    outgoing,
    request,
  }: Pick<ResourceRequest, "incoming" | "outgoing"> & { request: Pick<ResourceRequest["request"], "warnings"> },
  { contentType }: Pick<ResponseFormat, "contentType">,
): WatchOutput {
  outgoing.sharesBytes = true
  outgoing.writeHead(200, {
    "content-type": contentType,
    ...warningHeaders(request.warnings),
    // A client of HTTP/1.0 knows no chunks: its body ends with the connection.
    ...(incoming.httpVersion === "1.1" && { "transfer-encoding": "chunked" }),
  })
  // HTTP/2 sends headers at once; HTTP/1.1 would wait for the first event.
  outgoing.flushHeaders()
  return new AnswerOutput(outgoing)
}

/** Joined frames by their batch, for as long as it is referenced: hundreds of watchers receive the same batch. */
const joinedFrames = new WeakMap<readonly Buffer[], readonly Buffer[]>()

function joined(frames: readonly Buffer[]): readonly Buffer[] {
  if (frames.length === 1) return frames
  let writes = joinedFrames.get(frames)
  if (writes === undefined) {
    writes = joinSmall(frames)
    joinedFrames.set(frames, writes)
  }
  return writes
}

/** Joins small frames into one write. Long ones are not copied: each watcher with a backlog would hold its own copy. */
function joinSmall(frames: readonly Buffer[]): Buffer[] {
  const writes: Buffer[] = []
  let small: Buffer[] = []
  let bytes = 0
  function flush(): void {
    const [only] = small
    if (only !== undefined) writes.push(small.length === 1 ? only : Buffer.concat(small, bytes))
    small = []
    bytes = 0
  }
  for (const frame of frames) {
    if (bytes + frame.length > watchWriteBytes) flush()
    small.push(frame)
    bytes += frame.length
  }
  flush()
  return writes
}

class AnswerOutput implements WatchOutput {
  constructor(private readonly outgoing: Outgoing) {}

  get waitingBytes(): number {
    return this.outgoing.writableLength
  }

  write(frames: readonly Buffer[]): void {
    const { outgoing } = this
    for (const bytes of joined(frames)) outgoing.write(bytes)
  }

  end(): void {
    this.outgoing.end()
  }

  onClose(callback: () => void): void {
    const { outgoing } = this
    if (outgoing.destroyed) callback()
    else outgoing.once("close", callback)
  }

  onceDrained(callback: () => void): void {
    this.outgoing.once("drain", callback)
  }
}
