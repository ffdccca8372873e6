/** The secure port: HTTP/1.1 and HTTP/2 over TLS on one listener. */
import { IncomingMessage, ServerResponse } from "node:http"
import { createServer as createHttpsServer, type Server } from "node:https"
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
import { Http2Connection } from "../http2/connection.ts"
import {
  http2CheckIntervalMs,
  http2StreamsMax,
  idleConnectionTimeoutMs,
  requestHeaderBytesMax,
  requestHeaderFieldsMax,
  requestHeaderTimeoutMs,
  tlsHandshakeTimeoutMs,
} from "../limits.ts"
import { endWithError, headTooLarge, malformedError, type ParserFault, refuse, unknownExpectation } from "./malformed-request.ts"
import { answerPlainHttp } from "./plain-http.ts"
import type { ServerEnv } from "../server-env.ts"
import { originForm, refusalOf } from "./sound-request.ts"
import { dropRest } from "./unread-body.ts"
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
  readonly server: Server
  /** The one that was given, or found when it was 0. */
  readonly port: number
  /** Stops accepting and lets requests in flight finish; connections that are still busy after `graceMs` are cut. */
  close(options: { graceMs: number; clock: Clock }): Promise<void>
}

/** Called once at start. Rejects with the system's error when the port cannot be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { app, checkIntervalMs = http2CheckIntervalMs, streamsPerConnection = http2StreamsMax } = options
  const server = createServer(options.tls)
  const connections = new Connections(server, { answer: requestListener(app), checkIntervalMs, streamsMax: streamsPerConnection })
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

function createServer({ certificate, key, minVersion = "TLSv1.2" }: Tls): Server {
  const server = createHttpsServer({
    cert: certificate,
    key,
    minVersion,
    ALPNProtocols: [http2Name, "http/1.1"],
    handshakeTimeout: tlsHandshakeTimeoutMs,
    maxHeaderSize: requestHeaderBytesMax,
    headersTimeout: requestHeaderTimeoutMs,
    keepAliveTimeout: idleConnectionTimeoutMs,
    // A watch lasts as long as it likes.
    requestTimeout: 0,
    // Answered with a Status, by `refusalOf`.
    requireHostHeader: false,
  })
  server.maxHeadersCount = requestHeaderFieldsMax
  return server
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

type Answer = (incoming: Incoming, outgoing: Outgoing) => void

interface ConnectionsOptions {
  readonly answer: Answer
  readonly checkIntervalMs: number
  readonly streamsMax: number
}

/** What is connected, so that a server that stops can let go of it in order. */
class Connections {
  private readonly sockets = new Set<Socket>()
  private readonly http2 = new Set<Http2Connection>()
  /** Requests in flight of each HTTP/1.1 connection, the newest last. HTTP/2 counts its own. */
  private readonly busy = new Map<Socket, Exchange[]>()
  /** Connections on which what came was no HTTP: more of it says nothing new. */
  private readonly faulty = new WeakSet<Socket>()
  private closing = false

  constructor(
    private readonly server: Server,
    private readonly options: ConnectionsOptions,
  ) {
    this.takeHttp2()
    server.on("request", (request, response) => {
      this.onRequest(request, response)
      options.answer(request, response)
    })
    server.on("checkContinue", (request, response) => {
      askForBodyWhenRead(request, response)
      server.emit("request", request, response)
    })
    server.on("checkExpectation", (_request, response) => refuse(response, unknownExpectation()))
    server.on("connect", (_request, connection) => endWithError(connection as Socket, methodNotAllowed())) // It is that of the listener.
    server.on("clientError", (fault: ParserFault, socket) => this.onFault(fault, socket as Socket)) // Likewise.
    answerPlainHttp(server)
    acceptUpgrades(server, refuse)
  }

  /** Connections whose handshake settled on HTTP/2 are ours; node's listener has the others. */
  private takeHttp2(): void {
    const { server } = this
    const [onHttp1] = server.listeners("secureConnection")
    assert(onHttp1 !== undefined, "a server of HTTPS listens to its connections")
    server.removeAllListeners("secureConnection")
    server.on("secureConnection", (socket: TLSSocket) => {
      track(this.sockets, socket)
      if (socket.alpnProtocol === http2Name) this.onHttp2(socket)
      else onHttp1.call(server, socket)
    })
  }

  private onHttp2(socket: TLSSocket): void {
    const { answer, checkIntervalMs, streamsMax } = this.options
    const connection = new Http2Connection({
      socket,
      streamsMax,
      onRequest(incoming, outgoing, isTooLarge) {
        answerHttp2({ incoming, outgoing, isTooLarge, answer })
        // Refused: nobody will read the body.
        if (outgoing.writableEnded && !incoming.complete) dropRest(incoming, outgoing)
      },
    })
    track(this.http2, connection)
    // Real time, whatever clock the server is given: the other end has no other.
    endWhenDead(connection, { clock: systemClock, intervalMs: checkIntervalMs, end: () => connection.destroy() })
    if (this.closing) connection.close()
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
    for (const socket of this.sockets) if (!this.busy.has(socket) && !isHttp2(socket)) socket.destroy()
    for (const connection of this.http2) connection.close()
    const cancel = clock.after(graceMs, () => {
      for (const socket of this.sockets) socket.destroy()
    })
    await closed
    cancel()
  }
}

/** What node's listener does for HTTP/1.1 before it tells of a request. */
function answerHttp2({ incoming, outgoing, isTooLarge, answer }: Http2Request): void {
  const { expect } = incoming.headers
  if (isTooLarge) return refuse(outgoing, headTooLarge())
  if (incoming.method === "CONNECT") return refuse(outgoing, methodNotAllowed())
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") return refuse(outgoing, unknownExpectation())
  if (expect !== undefined) askForBodyWhenRead(incoming, outgoing)
  answer(incoming, outgoing)
}

interface Http2Request {
  readonly incoming: Incoming
  readonly outgoing: Outgoing
  readonly isTooLarge: boolean
  readonly answer: Answer
}

/** As TLS names it: RFC 9113 section 3.1. */
const http2Name = "h2"

/** The protocol that the handshake settled on. */
function isHttp2(socket: Socket): boolean {
  return "alpnProtocol" in socket && socket.alpnProtocol === http2Name
}

function track<T extends { on(event: "close", listener: () => void): unknown }>(all: Set<T>, one: T): void {
  all.add(one)
  one.on("close", () => all.delete(one))
}
