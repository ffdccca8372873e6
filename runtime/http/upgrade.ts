/**
 * HTTP/1.1 requests for another protocol. They pass filters and routes like other requests. A handler that speaks the
 * protocol takes the connection; any other answer is sent as usual, and then the connection closes.
 */
import type { Socket } from "node:net"
import { type ApiError, badRequest } from "../base/errors.ts"
import type { Incoming } from "./exchange.ts"
import { type Http1Incoming, Http1Outgoing, type Http1Server } from "./http1-exchange.ts"

/** A connection that only its taker writes to. */
export interface TakenConnection {
  readonly request: Http1Incoming
  readonly socket: Socket
  /** The bytes that the client sent behind the request. */
  readonly head: Buffer
}

interface HeldUpgrade extends TakenConnection {
  readonly response: Http1Outgoing
}

const held = new WeakMap<Incoming, HeldUpgrade>()

/**
 * Called once per listener, before it listens. A request with a body cannot change the protocol, since the body would
 * be read as the new protocol: `refuse` answers it.
 */
export function acceptUpgrades(server: Http1Server, refuse: (outgoing: Http1Outgoing, error: ApiError) => void): void {
  server.on("upgrade", (request: Http1Incoming, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy())
    const response = new Http1Outgoing(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    // Reads and drops the client's bytes in the other protocol: unread, they would turn the close into a reset.
    response.on("finish", () => socket.resume().destroySoon())
    if (hasBody(request)) {
      refuse(response, badRequest("a request that asks for another protocol (Upgrade) must not have a body"))
      return
    }
    held.set(request, { request, socket, head, response })
    server.emit("request", request, response)
  })
}

function hasBody({ headers }: Http1Incoming): boolean {
  return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined
}

/**
 * Takes the connection of a request that asked for another protocol and has no answer yet; undefined for other
 * requests. The caller writes the answer, from the 101 on, and closes the connection.
 */
export function takeConnection(request: Incoming): TakenConnection | undefined {
  const found = held.get(request)
  if (found === undefined || found.response.headersSent) return undefined
  held.delete(request)
  const { socket, head, response } = found
  response.detachSocket(socket)
  return { request: found.request, socket, head }
}

/** The protocol that a request asks for, in lower case; undefined if its connection cannot be taken. */
export function wantedProtocol(request: Incoming): string | undefined {
  return held.has(request) ? request.headers.upgrade?.toLowerCase() : undefined
}
