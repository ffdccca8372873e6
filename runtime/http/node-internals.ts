/**
 * The undocumented parts of node that the server uses. Each is checked when the server starts, so that a release of
 * node that changes one of them stops the start with a clear message instead of failing requests.
 */
import { createServer, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { type SecureContext, TLSSocket } from "node:tls"
import { checkInterception, takesBytes } from "../tls/intercepted-bytes.ts"

type ConnectionListener = (socket: Socket) => void

/** The part of a node server that has listeners. */
interface Listening {
  listeners(event: string): unknown[]
  removeAllListeners(event: string): unknown
}

/**
 * Removes node's own listener of an event and returns it, so that the caller decides which connections node gets and
 * when: `connection` would begin TLS, `secureConnection` begins HTTP/1.1. Called before anything else listens to the
 * event. Throws if node has no listener, or several.
 */
export function takeListener(server: Listening, event: "connection" | "secureConnection"): (server: Listening, socket: Socket) => void {
  const listeners = server.listeners(event)
  const [listener] = listeners
  if (listeners.length !== 1 || !isListener(listener)) throw missing(`one listener of its own for "${event}" of an HTTPS server`)
  server.removeAllListeners(event)
  return (owner, socket) => listener.call(owner, socket)
}

type HandshakeError = (error: Error) => void

/** Calls `listener` when the handshake of a server's stream fails. For streams made here, not by node's listener. */
export function onHandshakeError(stream: TLSSocket, listener: HandshakeError): void {
  stream.once("_tlsError", listener)
}

/** Ends node's part in such a handshake: from now on the users of the stream handle its errors. */
export function releaseControl(stream: TLSSocket, listener: HandshakeError): void {
  stream.off("_tlsError", listener)
  if (hasRelease(stream)) stream._releaseControl()
  // Node's HTTP/2 waits while it is true.
  Object.assign(stream, { secureConnecting: false })
}

function hasRelease(value: object): value is { _releaseControl(): boolean } {
  return "_releaseControl" in value && typeof value._releaseControl === "function"
}

function isListener(listener: unknown): listener is ConnectionListener {
  return typeof listener === "function"
}

/**
 * Whether node's HTTP/1.1 server has stopped reading the socket until answers are taken. It must get no data then, or
 * an assertion ends the process. It resumes the socket itself. Only this field distinguishes its pause from any other.
 */
export function isPausedByNode(socket: Socket): boolean {
  return "_paused" in socket && socket._paused === true
}

/** Called once per listener, with the context that it serves. Throws as `checkNode` if `tls/` cannot use node's TLS. */
export function checkTls(secureContext: SecureContext, takes: (stream: TLSSocket) => boolean = takesBytes): void {
  const connection = new Duplex({ read() {}, write: (_chunk, _encoding, written) => written() })
  const stream = new TLSSocket(connection, { isServer: true, secureContext })
  const isUsable = takes(stream)
  stream.destroy()
  if (!isUsable) throw missing("`receive`, `readStart` and `readStop` of the handle of a TLSSocket")
}

/**
 * Called once per listener, before it listens. `serve` makes node's HTTP/1.1 read a connection; tests pass other
 * functions. Throws an error that names node's version if something is missing that `isPausedByNode`, `begin-tls.ts`,
 * `tls/`, `stranger-turns.ts` or `upgrade.ts` needs.
 */
export function checkNode(serve: (connection: Duplex) => void = serveHttp1): void {
  if (!hasRelease(TLSSocket.prototype) || !("_tlsError" in TLSSocket.prototype)) throw missing("`_releaseControl` of a TLSSocket")
  try {
    checkInterception()
  } catch (error) {
    throw missing(error instanceof Error ? error.message : String(error))
  }
  const { assignSocket, detachSocket } = ServerResponse.prototype
  if (typeof assignSocket !== "function" || typeof detachSocket !== "function")
    throw missing("`assignSocket` and `detachSocket` of an http.ServerResponse")
  const connection = new Duplex({ read() {}, write: (_chunk, _encoding, written) => written() })
  try {
    serve(connection)
    if (!("_paused" in connection) || connection._paused !== false) throw missing("`_paused` of a socket that its HTTP/1.1 reads")
    if (connection.listenerCount("data") !== 1) throw missing("one listener for the data of a socket that its HTTP/1.1 reads")
  } finally {
    connection.destroy()
  }
}

function serveHttp1(connection: Duplex): void {
  createServer().emit("connection", connection)
}

function missing(what: string): Error {
  return new Error(`Node ${process.versions.node} lacks ${what}, which this server needs; it runs on Node 20, 22 and 24`)
}
