/** What is connected, of either protocol: held to its limits while it is, and let go of in order when the server stops. */
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { type Clock, systemClock } from "../base/clock.ts"
import { methodNotAllowed } from "../base/errors.ts"
import { strangerCheckMs } from "../base/limits.ts"
import { endWhenDead } from "./keepalive.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import { askForBodyWhenRead } from "./expect-continue.ts"
import { Http1Connection } from "./http1-connection.ts"
import type { Http1Server } from "./http1-exchange.ts"
import type { Http2Implementation, Http2Session } from "./http2-session.ts"
import type { Account, KeptBytes } from "./kept-bytes.ts"
import { endWithError, headTooLarge, malformedError, type ParserFault, refuse, unknownExpectation } from "./malformed-request.ts"
import { takeListener } from "./node-internals.ts"
import { answerPlainHttp } from "./plain-http.ts"
import { StrangerTurns } from "./stranger-turns.ts"
import type { TimeLimits } from "./time-limits.ts"
import { acceptUpgrades } from "./upgrade.ts"

/** As TLS names it: RFC 9113 section 3.1. */
export const http2Name = "h2"

type Answer = (incoming: Incoming, outgoing: Outgoing) => void

interface ConnectionsOptions {
  readonly answer: Answer
  readonly times: TimeLimits
  readonly kept: KeptBytes
  readonly streamsMax: number
  readonly http2: Http2Implementation
}

/** A connection whose account has to be asked what it keeps. */
interface Measured {
  readonly account: Pick<Account, "isKnown" | "measure">
}

/** Made once per listener. */
export class Connections {
  private readonly sockets = new Set<Socket>()
  private readonly http2 = new Set<Http2Session>()
  private readonly http1 = new Map<Socket, Http1Connection>()
  /** Connections on which no request has authenticated yet, and that do not say when they keep more. */
  private readonly strangers = new Set<Measured>()
  private readonly turns = new StrangerTurns()
  private closing = false
  private isChecking = false
  private isCheckingStrangers = false

  constructor(
    private readonly server: Http1Server,
    private readonly options: ConnectionsOptions,
  ) {
    this.takeConnections()
    server.on("request", (request, response) => {
      const connection = this.http1.get(request.socket)
      if (connection === undefined || connection.begin(request, response)) options.answer(request, response)
    })
    server.on("checkContinue", (request, response) => {
      askForBodyWhenRead(request, response)
      server.emit("request", request, response)
    })
    server.on("checkExpectation", (_request, response) => refuse(response, unknownExpectation()))
    for (const event of ["upgrade", "connect"]) server.on(event, (_request, socket) => this.turns.release(socket))
    server.on("connect", (_request, connection) => endWithError(connection as Socket, methodNotAllowed())) // It is that of the listener.
    server.on("clientError", (fault: ParserFault, socket) => this.onFault(fault, socket as Socket)) // Likewise.
    answerPlainHttp(server)
    acceptUpgrades(server, refuse)
  }

  /** Connections whose handshake settled on HTTP/2 are ours; node's listener has the others. */
  private takeConnections(): void {
    const { server } = this
    const serveHttp1 = takeListener(server, "secureConnection")
    server.on("secureConnection", (socket: TLSSocket) => {
      this.sockets.add(socket)
      socket.on("close", () => this.forget(socket))
      if (socket.alpnProtocol === http2Name) this.onHttp2(socket)
      else {
        const connection = this.onHttp1(socket)
        serveHttp1(server, socket)
        this.turns.guard(socket, connection.account)
      }
      this.checkSoon()
    })
  }

  private onHttp1(socket: TLSSocket): Http1Connection {
    const connection = new Http1Connection(socket, this.options)
    this.http1.set(socket, connection)
    this.measureOften(socket, connection)
    return connection
  }

  private measureOften(socket: Socket, connection: Measured): void {
    this.strangers.add(connection)
    socket.once("close", () => this.strangers.delete(connection))
    this.checkStrangersSoon()
  }

  private onHttp2(socket: TLSSocket): void {
    const { answer, http2, kept, streamsMax, times } = this.options
    const connection = http2.open({
      socket,
      streamsMax,
      kept,
      times,
      onRequest(incoming, outgoing, isTooLarge) {
        answerHttp2({ incoming, outgoing, isTooLarge, answer })
        // Refused: the body will not be read.
        if (outgoing.writableEnded && !incoming.complete) incoming.discardBody(outgoing)
      },
    })
    if (http2.readsEvents) this.turns.guard(socket, connection.account)
    else this.measureOften(socket, connection)
    this.http2.add(connection)
    connection.on("close", () => this.http2.delete(connection))
    // Real time, whatever clock the server is given: the other end has no other.
    endWhenDead(connection, { clock: systemClock, intervalMs: times.http2CheckIntervalMs, end: () => connection.destroy() })
    if (this.closing) connection.close()
  }

  /** Also of connections whose handshake failed. */
  private onFault(fault: ParserFault, socket: Socket): void {
    const connection = this.http1.get(socket)
    if (connection === undefined) endWithError(socket, malformedError(fault))
    else connection.onFault(fault)
  }

  private forget(socket: Socket): void {
    this.sockets.delete(socket)
    this.http1.delete(socket)
  }

  /** One timer for all connections, while there are any. */
  private checkSoon(): void {
    if (this.isChecking || this.sockets.size === 0) return
    this.isChecking = true
    systemClock.after(this.options.times.connectionCheckMs, () => {
      this.isChecking = false
      const nowMs = systemClock.elapsedMs()
      for (const connection of this.http2) connection.check(nowMs)
      for (const connection of this.http1.values()) connection.check(nowMs)
      this.checkSoon()
    })
  }

  /** Node does not report that it reads a head: how much of it there is has to be looked at, often, as long as it is not known whose it is. */
  private checkStrangersSoon(): void {
    if (this.isCheckingStrangers || this.strangers.size === 0) return
    this.isCheckingStrangers = true
    systemClock.after(strangerCheckMs, () => {
      this.isCheckingStrangers = false
      for (const connection of this.strangers) {
        if (connection.account.isKnown) this.strangers.delete(connection)
        else connection.account.measure()
      }
      this.checkStrangersSoon()
    })
  }

  /** Stops accepting and lets requests in flight finish; connections that are still busy after `graceMs` are cut. */
  async close({ graceMs, clock }: { graceMs: number; clock: Clock }): Promise<void> {
    this.closing = true
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    for (const connection of this.http1.values()) connection.close()
    for (const connection of this.http2) connection.close()
    const cancel = clock.after(graceMs, () => {
      for (const socket of this.sockets) socket.destroy()
    })
    await closed
    cancel()
  }
}

interface Http2Request {
  readonly incoming: Incoming
  readonly outgoing: Outgoing
  readonly isTooLarge: boolean
  readonly answer: Answer
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
