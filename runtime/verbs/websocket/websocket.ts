/**
 * Websockets for verbs that stream, as browsers use them. The handshake follows RFC 6455; an invalid one gets a Status.
 * The origin is not checked: a page of another origin has no credential for this server, and with one it would not need
 * a websocket.
 */
import type { Socket } from "node:net"
import type { WebSocket, WebSocketServer } from "ws"
import { assert } from "../../base/assert.ts"
import { systemClock } from "../../base/clock.ts"
import { endWhenDead } from "../../http/keepalive.ts"
import { badRequest } from "../../base/errors.ts"
import { websocketLibrary } from "../../base/lazy-libraries.ts"
import { http2CheckIntervalMs, websocketCloseTimeoutMs, websocketMessageBytesMax } from "../../base/limits.ts"
import { takeConnection, wantedProtocol } from "../../http/upgrade.ts"
import { offeredProtocols } from "../../wire/websocket-protocols.ts"
import type { ResourceRequest } from "../call.ts"

const handshakeOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: websocketMessageBytesMax,
  // The library reads it, but its types do not declare it.
  closeTimeout: websocketCloseTimeoutMs,
}

/** Performs handshakes; does not track connections. Made for the first one. */
let handshakes: WebSocketServer | undefined

export interface OpenWebSocket {
  readonly websocket: WebSocket
  readonly socket: Socket
}

/** Whether to respond over a websocket. Throws 400 for an invalid handshake. */
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
 * Accepts the handshake, if `checkWebSocket` returned true. Confirms the protocol that the client offered, never a
 * bearer token. Terminates the websocket of a client that no longer responds.
 */
export function acceptWebSocket({ incoming, outgoing, parts }: Pick<ResourceRequest, "incoming" | "outgoing" | "parts">): OpenWebSocket {
  const taken = takeConnection(incoming)
  assert(taken !== undefined, "nobody has answered a request that was looked at just now")
  const [protocol] = offeredProtocols(incoming.headers, parts.vendor).names
  if (protocol === undefined) delete incoming.headers["sec-websocket-protocol"]
  else incoming.headers["sec-websocket-protocol"] = protocol
  // For metrics and logs, which read the status.
  outgoing.statusCode = 101
  let opened: WebSocket | undefined
  handshakes ??= new (websocketLibrary().WebSocketServer)(handshakeOptions)
  handshakes.handleUpgrade(taken.request, taken.socket, taken.head, (websocket) => {
    opened = websocket
  })
  assert(opened !== undefined, "a handshake that was looked at is answered at once")
  guardWebSocket(opened, taken.socket)
  return { websocket: opened, socket: taken.socket }
}

/** Exported for tests. Terminates the websocket once its client is gone. */
export function guardWebSocket(websocket: WebSocket, socket: Socket, intervalMs = http2CheckIntervalMs): void {
  // A protocol error of the client closes the connection; there is no caller to report it to.
  websocket.on("error", () => undefined)
  endWhenDead(aliveness(websocket, socket), {
    // Real time, whatever clock the server uses: the client has no other.
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
      // Without `null`, `answered` would take the pong's payload for an error.
      websocket.once("pong", () => answered(null))
      websocket.ping()
      return true
    },
    on: (event, listener) => websocket.on(event, listener),
  }
}
