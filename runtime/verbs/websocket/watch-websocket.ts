/** Watches over websockets: each event is a message, text for JSON and binary for protobuf. */
import type { Duplex } from "node:stream"
import type { WebSocket } from "ws"
import type { ResourceRequest, ResponseFormat } from "../call.ts"
import type { WatchEnd, WatchOutput } from "../watch/watch-output.ts"
import { acceptWebSocket } from "./websocket.ts"

/** Close codes of RFC 6455 section 7.4.1. */
const closeCodes: Readonly<Record<WatchEnd, number>> = { done: 1000, stopping: 1001 }

/** Called instead of `openAnswer` if `checkWebSocket` returned true. */
export function openWebSocket(call: ResourceRequest, format: ResponseFormat): WatchOutput {
  const { websocket, socket } = acceptWebSocket(call)
  return new WebSocketOutput(websocket, socket, format.media === "compact")
}

class WebSocketOutput implements WatchOutput {
  constructor(
    private readonly websocket: WebSocket,
    private readonly socket: Duplex,
    private readonly binary: boolean,
  ) {}

  get waitingBytes(): number {
    return this.websocket.bufferedAmount
  }

  write(frames: readonly Buffer[]): void {
    const { binary, websocket } = this
    // A message has its own length, so the length prefix of the protobuf frame is omitted.
    for (const frame of frames) websocket.send(binary ? frame.subarray(4) : frame, { binary })
  }

  end(why: WatchEnd): void {
    this.websocket.close(closeCodes[why])
  }

  onClose(callback: () => void): void {
    if (this.websocket.readyState === this.websocket.CLOSED) callback()
    else this.websocket.once("close", callback)
  }

  onceDrained(callback: () => void): void {
    this.socket.once("drain", callback)
  }
}
