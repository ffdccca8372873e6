/**
 * Websockets of verbs that answer with a stream, as browsers use them. The handshake is that of RFC 6455; a request that it does not fit is
 * answered with a Status. Which origins may is not asked: a page of another origin has no credential of ours, and one that does needs no
 * websocket to use it.
 */
import type { Socket } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"
import { assert } from "../../base/assert.ts"
import { systemClock } from "../../base/clock.ts"
import { endWhenDead } from "../../http/keepalive.ts"
import { badRequest } from "../../base/errors.ts"
import { http2CheckIntervalMs, websocketCloseTimeoutMs, websocketMessageBytesMax } from "../../base/limits.ts"
import { takeConnection, wantedProtocol } from "../../http/upgrade.ts"
import { offeredProtocols } from "../../wire/websocket-protocols.ts"
import type { ResourceRequest } from "../call.ts"

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

export interface OpenWebSocket {
  readonly websocket: WebSocket
  readonly socket: Socket
}

/** Whether the answer is to go over a websocket. Throws 400 for a handshake that cannot be answered. */
export function checkWebSocket(call: ResourceRequest): boolean {
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

/**
 * Called instead of answering when `checkWebSocket` has said yes. The protocol that was offered is confirmed; a token never is. A client that
 * does not answer any more is ended.
 */
export function acceptWebSocket({ incoming, outgoing, parts }: Pick<ResourceRequest, "incoming" | "outgoing" | "parts">): OpenWebSocket {
  const taken = takeConnection(incoming)
  assert(taken !== undefined, "nobody has answered a request that was looked at just now")
  const [protocol] = offeredProtocols(incoming.headers, parts.vendor).names
  if (protocol === undefined) delete incoming.headers["sec-websocket-protocol"]
  else incoming.headers["sec-websocket-protocol"] = protocol
  // For those who count answers.
  outgoing.statusCode = 101
  let opened: WebSocket | undefined
  handshakes.handleUpgrade(taken.request, taken.socket, taken.head, (websocket) => {
    opened = websocket
  })
  assert(opened !== undefined, "a handshake that was looked at is answered at once")
  guardWebSocket(opened, taken.socket)
  return { websocket: opened, socket: taken.socket }
}

/** Exported for tests. Ends the websocket once its client has gone. */
export function guardWebSocket(websocket: WebSocket, socket: Socket, intervalMs = http2CheckIntervalMs): void {
  // What a client does wrong closes the connection; there is nobody to tell.
  websocket.on("error", () => undefined)
  endWhenDead(aliveness(websocket, socket), {
    // Real time, whatever clock the server is given: the other end has no other.
    clock: systemClock,
    intervalMs,
    end: () => websocket.terminate(),
  })
}

function aliveness(websocket: WebSocket, socket: Socket): Parameters<typeof endWhenDead>[0] {
  return {
    get destroyed() {
      return socket.destroyed
    },
    socket,
    ping(answered) {
      websocket.removeAllListeners("pong")
      // It brings what the ping said.
      websocket.once("pong", () => answered(null))
      websocket.ping()
      return true
    },
    on: (event, listener) => websocket.on(event, listener),
  }
}
