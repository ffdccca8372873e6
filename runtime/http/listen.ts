/** The secure port: HTTP/1.1 and HTTP/2 over TLS on one listener. */
import { IncomingMessage, ServerResponse } from "node:http"
import { createSecureServer, type Http2SecureServer, type Http2Session } from "node:http2"
import type { AddressInfo, Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import type { Hono } from "hono"
import { assert } from "../assert.ts"
import { type Clock, systemClock } from "../clock.ts"
import { endWhenDead } from "./dead-connections.ts"
import { dispatchTo } from "./dispatch.ts"
import { methodNotAllowed } from "../errors.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import { askForBodyWhenRead } from "./expect-continue.ts"
import { Http2Incoming, Http2Outgoing } from "./http2-exchange.ts"
import {
  http2CheckIntervalMs,
  http2SessionMemoryMb,
  http2StreamsMax,
  idleConnectionTimeoutMs,
  requestHeaderBytesMax,
  requestHeaderFieldsMax,
  requestHeaderTimeoutMs,
  tlsHandshakeTimeoutMs,
} from "../limits.ts"
import { endWithError, malformedError, type ParserFault, refuse, unknownExpectation } from "./malformed-request.ts"
import { answerPlainHttp } from "./plain-http.ts"
import type { ServerEnv } from "../server-env.ts"
import { originForm, refusalOf } from "./sound-request.ts"
import { acceptUpgrades } from "./upgrade.ts"

/** PEM texts of the serving pair. */
export interface Tls {
  readonly certificate: string
  readonly key: string
  readonly minVersion?: "TLSv1.2" | "TLSv1.3"
}

export interface ListenOptions {
  readonly app: Hono<ServerEnv>
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly tls: Tls
  /** `--http2-max-streams-per-connection` */
  readonly streamsPerConnection?: number
  /** Default `http2CheckIntervalMs`. */
  readonly checkIntervalMs?: number
}

export interface Listener {
  readonly server: Http2SecureServer
  /** The one that was given, or found when it was 0. */
  readonly port: number
  /** Stops accepting and lets requests in flight finish; connections that are still busy after `graceMs` are cut. */
  close(options: { graceMs: number; clock: Clock }): Promise<void>
}

/** Called once at start. Rejects with the system's error when the port cannot be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const server = createServer(options)
  const connections = new Connections(server, options.checkIntervalMs ?? http2CheckIntervalMs)
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port, options.host, () => {
      server.off("error", reject)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo // A TCP listener that is listening has one.
  return { server, port, close: (how) => connections.close(how) }
}

function createServer({ app, tls, streamsPerConnection = http2StreamsMax }: ListenOptions): Http2SecureServer {
  const options = {
    allowHTTP1: true,
    cert: tls.certificate,
    key: tls.key,
    minVersion: tls.minVersion ?? "TLSv1.2",
    maxSessionMemory: http2SessionMemoryMb,
    handshakeTimeout: tlsHandshakeTimeoutMs,
    maxHeaderListPairs: requestHeaderFieldsMax,
    settings: { maxHeaderListSize: requestHeaderBytesMax, maxConcurrentStreams: streamsPerConnection },
  }
  // Of HTTP/1.1; node reads them, its types do not name them for this server.
  const http1 = {
    maxHeaderSize: requestHeaderBytesMax,
    maxHeadersCount: requestHeaderFieldsMax,
    headersTimeout: requestHeaderTimeoutMs,
    keepAliveTimeout: idleConnectionTimeoutMs,
  }
  // What node makes for each stream of HTTP/2. Its types ask for all that its own classes can do.
  Object.assign(options, { Http2ServerRequest: Http2Incoming, Http2ServerResponse: Http2Outgoing })
  const server = Object.assign(createSecureServer(Object.assign(options, http1)), http1)
  server.on("request", exchangeListener(requestListener(app)))
  answerPlainHttp(server)
  acceptUpgrades(server, refuse)
  return server
}

/** For events of the server, whose types name node's own classes of HTTP/2. */
function exchangeListener(listener: (incoming: Incoming, outgoing: Outgoing) => void): (request: unknown, response: unknown) => void {
  return (request, response) => {
    assert(request instanceof Http2Incoming || request instanceof IncomingMessage, "a request is of HTTP/2 or HTTP/1.1")
    assert(response instanceof Http2Outgoing || response instanceof ServerResponse, "and so is its answer")
    listener(request, response)
  }
}

/** From the listener to the application, for what HTTP allows. */
function requestListener(app: Hono<ServerEnv>): (incoming: Incoming, outgoing: Outgoing) => void {
  const dispatch = dispatchTo(app)
  return (incoming, outgoing) => {
    const refusal = refusalOf(incoming)
    if (refusal !== undefined) return refuse(outgoing, refusal)
    if (incoming.method === "OPTIONS" && incoming.url === "*") {
      outgoing.setHeader("content-length", "0")
      outgoing.end()
      return
    }
    incoming.url = originForm(incoming.url ?? "/")
    dispatch(incoming, outgoing)
  }
}

/** One request of HTTP/1.1 and its answer. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What is connected, so that a server that stops can let go of it in order. */
class Connections {
  private readonly sockets = new Set<TLSSocket>()
  private readonly sessions = new Set<Http2Session>()
  /** Requests in flight of each HTTP/1.1 connection, the newest last. HTTP/2 counts its own. */
  private readonly busy = new Map<Socket, Exchange[]>()
  /** Connections on which what came was no HTTP: more of it says nothing new. */
  private readonly faulty = new WeakSet<Socket>()
  private closing = false

  constructor(
    private readonly server: Http2SecureServer,
    checkIntervalMs: number,
  ) {
    let latest: TLSSocket | undefined
    // First of all: the listener that makes the session of this socket stands behind.
    server.prependListener("secureConnection", (socket: TLSSocket) => {
      latest = socket
      track(this.sockets, socket)
    })
    server.on("session", (session) => {
      track(this.sessions, session)
      const socket = latest
      const end = (): void => {
        session.destroy()
        socket?.destroy()
      }
      // Real time, whatever clock the server is given: the other end has no other.
      endWhenDead(session, { clock: systemClock, intervalMs: checkIntervalMs, end })
    })
    server.on("request", (request: unknown, response: unknown) => {
      if (request instanceof IncomingMessage && response instanceof ServerResponse) this.onRequest(request, response)
    })
    server.on(
      "checkContinue",
      exchangeListener((request, response) => {
        askForBodyWhenRead(request, response)
        server.emit("request", request, response)
      }),
    )
    server.on("checkExpectation", (_request: unknown, response: Outgoing) => refuse(response, unknownExpectation()))
    server.on("connect", (_request: unknown, connection: Socket | Http2Outgoing) => {
      if (connection instanceof Http2Outgoing) refuse(connection, methodNotAllowed())
      else endWithError(connection, methodNotAllowed())
    })
    server.on("clientError", (fault: ParserFault, socket: Socket) => this.onFault(fault, socket))
  }

  private onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const exchange = { request, response }
    const exchanges = this.busy.get(socket) ?? []
    exchanges.push(exchange)
    this.busy.set(socket, exchanges)
    response.on("close", () => {
      exchanges.splice(exchanges.indexOf(exchange), 1)
      if (exchanges.length > 0) return
      this.busy.delete(socket)
      if (this.closing) socket.end()
    })
  }

  /** A fault in the body of a request is its answer; what is wrong behind a request is told once that has its answer. */
  private onFault(fault: ParserFault, socket: Socket): void {
    if (this.faulty.has(socket)) return
    this.faulty.add(socket)
    const latest = this.busy.get(socket)?.at(-1)
    if (latest === undefined) return endWithError(socket, malformedError(fault))
    const { request, response } = latest
    if (request.complete) response.once("close", () => endWithError(socket, malformedError(fault)))
    else if (response.headersSent) socket.destroy()
    else refuse(response, malformedError(fault))
  }

  async close({ graceMs, clock }: { graceMs: number; clock: Clock }): Promise<void> {
    this.closing = true
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    for (const session of this.sessions) session.close()
    for (const socket of this.sockets) if (!this.busy.has(socket) && !isHttp2(socket)) socket.destroy()
    const cancel = clock.after(graceMs, () => {
      for (const socket of this.sockets) socket.destroy()
    })
    await closed
    cancel()
  }
}

/** The protocol that the handshake settled on. */
function isHttp2(socket: TLSSocket): boolean {
  return socket.alpnProtocol === "h2"
}

function track<T extends { on(event: "close", listener: () => void): unknown }>(all: Set<T>, one: T): void {
  all.add(one)
  one.on("close", () => all.delete(one))
}
