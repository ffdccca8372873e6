/** Where the frames of a watch go: the answer of a plain request, or a websocket (`watch-websocket.ts`). */
import { watchWriteBytes } from "../../base/limits.ts"
import type { Outgoing } from "../../http/exchange.ts"
import type { ResourceRequest, ResponseFormat } from "../call.ts"

/** Why a watch is over: it came to its end (its time, its history), or the server stops. */
export type WatchEnd = "done" | "stopping"

export interface WatchOutput {
  /** Frames are shared by all watchers: nobody changes them. */
  write(frames: readonly Buffer[]): void
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number
  /** What was written still goes out. */
  end(why: WatchEnd): void
  /** The client has gone, or everything was sent after the end; called at once when that has happened already. */
  onClose(callback: () => void): void
  /** Calls back once the client has taken what waits. */
  onceDrained(callback: () => void): void
}

/** Called once everything that a request can be refused for was looked at. Sends the head of the answer. */
export function openAnswer(
  { incoming, outgoing }: Pick<ResourceRequest, "incoming" | "outgoing">,
  { contentType }: Pick<ResponseFormat, "contentType">,
): WatchOutput {
  outgoing.sharesBytes = true
  outgoing.writeHead(200, {
    "content-type": contentType,
    ...(incoming.httpVersionMajor === 1 && { "transfer-encoding": "chunked" }),
  })
  // HTTP/2 sends its headers at once; HTTP/1.1 would wait for the first event.
  outgoing.flushHeaders()
  return new AnswerOutput(outgoing)
}

/** What shared frames are together, for as long as somebody holds them: hundreds of watchers are sent the same. */
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

/** Frames that are long by themselves are not copied: each watcher that has them waiting would have a copy of its own. */
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
