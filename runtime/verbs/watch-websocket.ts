/**
 * Watches over websockets, as browsers use them: every event is a message, text for JSON and binary for the compact encoding. The handshake is
 * that of RFC 6455; a request that it does not fit is answered with a Status. Which origins may is not asked: a page of another origin has no
 * credential of ours, and one that does needs no websocket to use it.
 */
import { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import { assert } from "../assert.ts"
import { systemClock } from "../clock.ts"
import { endWhenDead } from "../dead-connections.ts"
import { badRequest } from "../errors.ts"
import { http2CheckIntervalMs, websocketCloseTimeoutMs, websocketMessageBytesMax } from "../limits.ts"
import { takeConnection, wantedProtocol } from "../upgrade.ts"
import { offeredProtocols } from "../wire/websocket-protocols.ts"
import type { Call, Wanted } from "./call.ts"
import type { WatchEnd, WatchOutput } from "./watch-output.ts"

const handshakeOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: websocketMessageBytesMax,
  // Read by the library; its types do not name it.
  closeTimeout: websocketCloseTimeoutMs,
}

/** Shakes hands; keeps nothing of the connections. */
const handshakes = new WebSocketServer(handshakeOptions)

/** Close codes of RFC 6455 section 7.4.1. */
const closeCodes: Readonly<Record<WatchEnd, number>> = { done: 1000, stopping: 1001 }

/** Whether the watch is to go over a websocket. Throws 400 for a handshake that cannot be answered. */
export function checkWebSocket(call: Call): boolean {
  if (wantedProtocol(call.incoming) !== "websocket") return false
  const { headers } = call.incoming
  if (headers["sec-websocket-version"] !== "13") {
    call.outgoing.setHeader("sec-websocket-version", "13")
    throw badRequest("Sec-WebSocket-Version is not supported: use 13")
  }
  if (!/^[A-Za-z0-9+/]{22}==$/.test(headers["sec-websocket-key"] ?? ""))
    throw badRequest("Sec-WebSocket-Key is missing or wrong: use 16 random bytes in base64")
  const { names } = offeredProtocols(headers, call.parts.vendor)
  if (names.length > 1 || !names.every((name) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)))
    throw badRequest("Sec-WebSocket-Protocol: offer one protocol at most beside the bearer token")
  return true
}

/** Called instead of `openAnswer` when `checkWebSocket` has said yes. The protocol that was offered is confirmed; a token never is. */
export function openWebSocket({ incoming, outgoing, parts }: Call, wanted: Wanted): WatchOutput {
  const taken = takeConnection(incoming)
  assert(taken !== undefined && incoming instanceof IncomingMessage, "nobody has answered a request that was looked at just now")
  const [protocol] = offeredProtocols(incoming.headers, parts.vendor).names
  if (protocol === undefined) delete incoming.headers["sec-websocket-protocol"]
  else incoming.headers["sec-websocket-protocol"] = protocol
  // For those who count answers.
  outgoing.statusCode = 101
  let output: WatchOutput | undefined
  handshakes.handleUpgrade(incoming, taken.socket, taken.head, (websocket) => {
    output = new WebSocketOutput(websocket, taken.socket, wanted.media === "compact")
  })
  assert(output !== undefined, "a handshake that was looked at is answered at once")
  return output
}

class WebSocketOutput implements WatchOutput {
  constructor(
    private readonly websocket: WebSocket,
    private readonly socket: Duplex,
    private readonly binary: boolean,
  ) {
    // What a client does wrong closes the connection; there is nobody to tell.
    websocket.on("error", () => undefined)
    endWhenDead(aliveness(websocket, socket), {
      // Real time, whatever clock the server is given: the other end has no other.
      clock: systemClock,
      intervalMs: http2CheckIntervalMs,
      end: () => websocket.terminate(),
    })
  }

  get waitingBytes(): number {
    return this.websocket.bufferedAmount
  }

  write(frames: readonly Buffer[]): void {
    const { binary, websocket } = this
    // A message has its own length: the compact frame's is left out.
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

function aliveness(websocket: WebSocket, socket: Duplex): Parameters<typeof endWhenDead>[0] {
  return {
    get destroyed() {
      return socket.destroyed
    },
    // A pong counts; what is under way to a client that has gone does not move.
    socket: { bytesRead: 0, bytesWritten: 0 },
    ping(answered) {
      websocket.removeAllListeners("pong")
      websocket.once("pong", answered)
      websocket.ping()
      return true
    },
    on: (event, listener) => websocket.on(event, listener),
  }
}
