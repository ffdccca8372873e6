/**
 * The undocumented parts of node that the server uses. Each is checked when the server starts, so that a release of
 * node that changes one of them stops the start with a clear message instead of failing requests.
 */
import { createServer, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import type { SecureContextOptions } from "node:tls"

type ConnectionListener = (socket: Socket) => void

/** The part of a node server that has listeners. */
interface Listening {
  listeners(event: string): unknown[]
  removeAllListeners(event: string): unknown
}

/**
 * Removes node's own listener of an event and returns it, so that the caller decides which connections node gets and
 * when: `connection` begins TLS, `secureConnection` begins HTTP/1.1. Called before anything else listens to the event.
 * Throws if node has no listener, or several.
 */
export function takeListener(server: Listening, event: "connection" | "secureConnection"): (server: Listening, socket: Socket) => void {
  const listeners = server.listeners(event)
  const [listener] = listeners
  if (listeners.length !== 1 || !isListener(listener)) throw missing(`one listener of its own for "${event}" of an HTTPS server`)
  server.removeAllListeners(event)
  return (owner, socket) => listener.call(owner, socket)
}

/** The part of a node server of TLS that has a certificate. */
interface Secure {
  setSecureContext(context: SecureContextOptions): void
}

/**
 * Returns a server that is the given one but for its certificate and key: node's listener of `connection` begins TLS
 * with those of the server that it is called on. Throws what OpenSSL finds wrong with them, and if node keeps them
 * elsewhere.
 */
export function withSecureContext<Server extends Secure>(server: Server, context: SecureContextOptions): Server {
  const other: Server = Object.create(server)
  other.setSecureContext(context)
  if (!Object.hasOwn(other, "_sharedCreds")) throw missing("`_sharedCreds` of an HTTPS server, which `setSecureContext` replaces")
  return other
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

/**
 * Called once per listener, before it listens. `serve` makes node's HTTP/1.1 read a connection; tests pass others.
 * Throws an error that names node's version if something is missing that `isPausedByNode`, `stranger-turns.ts` or
 * `upgrade.ts` needs.
 */
export function checkNode(serve: (connection: Duplex) => void = serveHttp1): void {
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
