/**
 * What the server uses of node that node does not document. Each is asked for when the server starts, so that a release of node that changes one of them
 * stops the start with a sentence instead of failing requests.
 */
import { createServer, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"

type ConnectionListener = (socket: Socket) => void

/** As much of a server of node as has listeners. */
interface Listening {
  listeners(event: string): unknown[]
  removeAllListeners(event: string): unknown
}

/**
 * Takes node's own listener of an event away and returns it, for a caller that decides which connections node gets and when: `connection` begins TLS,
 * `secureConnection` begins HTTP/1.1. Called before anything else listens to the event. Throws where node has none, or several.
 */
export function takeListener(server: Listening, event: "connection" | "secureConnection"): (server: Listening, socket: Socket) => void {
  const listeners = server.listeners(event)
  const [listener] = listeners
  if (listeners.length !== 1 || !isListener(listener)) throw missing(`one listener of its own for "${event}" of an HTTPS server`)
  server.removeAllListeners(event)
  return (owner, socket) => listener.call(owner, socket)
}

function isListener(listener: unknown): listener is ConnectionListener {
  return typeof listener === "function"
}

/**
 * Whether node's server of HTTP/1.1 has stopped reading the socket until answers are taken. It takes no data then: some would end the process, with an
 * assertion. It resumes the socket itself; only this field tells that from a pause of somebody else.
 */
export function isPausedByNode(socket: Socket): boolean {
  return "_paused" in socket && socket._paused === true
}

/**
 * Called once per listener, before it listens. `serve` has node's HTTP/1.1 read a connection; tests pass others. Throws, with a sentence that names
 * node's version, when something is missing that `isPausedByNode`, `stranger-turns.ts` or `upgrade.ts` needs.
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
