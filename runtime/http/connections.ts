/** The open connections of both protocols: enforces their limits, and closes them in order when the server stops. */
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { type Clock, systemClock } from "../base/clock.ts"
import { within } from "../base/within.ts"
import { methodNotAllowed } from "../base/errors.ts"
import { strangerCheckMs } from "../base/limits.ts"
import type { LimitedConnections, Peer } from "./connection-limits.ts"
import { http2Name } from "./begin-tls.ts"
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
import { isAsking, StopCheck } from "./stop-check.ts"
import { StrangerTurns } from "./stranger-turns.ts"
import type { TimeLimits } from "./time-limits.ts"
import { acceptUpgrades } from "./upgrade.ts"

type Answer = (incoming: Incoming, outgoing: Outgoing) => void

interface ConnectionsOptions {
  readonly answer: Answer
  readonly times: TimeLimits
  readonly kept: KeptBytes
  readonly streamsMax: number
  readonly http2: Http2Implementation
  /** Cuts connections on which no request has authenticated, also during their handshake. */
  readonly endStrangers: LimitedConnections["end"]
}

export interface CloseOptions {
  /** Milliseconds for requests in flight whose clients make progress. Then their connections are cut. */
  readonly graceMs: number
  readonly clock: Clock
  /** Once aborted, all connections are cut. */
  readonly hurry?: AbortSignal
}

/** A connection whose account cannot see every byte as it arrives and has to measure. */
interface Measured {
  readonly account: Pick<Account, "isKnown" | "measure">
}

/** Created once per listener. */
export class Connections {
  private readonly sockets = new Set<Socket>()
  private readonly http2 = new Set<Http2Session>()
  private readonly http1 = new Map<Socket, Http1Connection>()
  /** Unauthenticated connections that have to be measured. */
  private readonly strangers = new Set<Measured>()
  private readonly turns = new StrangerTurns()
  private closing = false
  /** Set once the server has begun to stop. */
  private stopCheck: StopCheck | undefined
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
    server.on("connect", (_request, connection) => endWithError(connection as Socket, methodNotAllowed())) // The event comes from the listener, whose sockets are of this class.
    server.on("clientError", (fault: ParserFault, socket) => this.onFault(fault, socket as Socket)) // As above.
    answerPlainHttp(server)
    acceptUpgrades(server, refuse)
  }

  /** Connections that negotiated HTTP/2 are served here; node's listener gets the others. */
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
        // The request was refused: its body is not read.
        if (outgoing.writableEnded && !incoming.complete) incoming.discardBody(outgoing)
      },
    })
    if (http2.readsEvents) this.turns.guard(socket, connection.account)
    else this.measureOften(socket, connection)
    this.http2.add(connection)
    connection.on("close", () => this.http2.delete(connection))
    // Real time, whatever clock the server has: the client has no other.
    endWhenDead(connection, { clock: systemClock, intervalMs: times.http2CheckIntervalMs, end: () => connection.destroy() })
    if (this.closing) connection.close()
  }

  /** Also called for connections whose handshake failed. */
  private onFault(fault: ParserFault, socket: Socket): void {
    const connection = this.http1.get(socket)
    if (connection === undefined) endWithError(socket, malformedError(fault))
    else connection.onFault(fault)
  }

  private forget(socket: Socket): void {
    this.sockets.delete(socket)
    this.http1.delete(socket)
  }

  /** One timer serves all connections while there are any. */
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

  /**
   * Node does not report that it is reading a head, so the bytes read are polled, often, until a request of the
   * connection has authenticated.
   */
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

  /** See `Listener.drain`. Uses real time for slow clients, whatever clock the server has: they have no other. */
  drain(): void {
    const asking = [...this.http2, ...this.http1.values()].filter((connection) => !connection.account.isKnown && isAsking(connection))
    const spared = new Set(asking.map(({ socket }) => addressOf(socket)))
    this.options.endStrangers((peer) => spared.has(addressOf(peer)))
    if (this.stopCheck !== undefined) return
    this.stopCheck = new StopCheck(systemClock.elapsedMs(), this.options.times.stopStallMs)
    this.checkStopSoon(this.stopCheck)
  }

  private checkStopSoon(check: StopCheck): void {
    systemClock.after(this.options.times.stopCheckMs, () => {
      const nowMs = systemClock.elapsedMs()
      for (const connection of this.http2) check.look(connection, nowMs, this.closing)
      for (const connection of this.http1.values()) check.look(connection, nowMs, this.closing)
      if (!this.closing || this.sockets.size > 0) this.checkStopSoon(check)
    })
  }

  /** See `Listener.close`. */
  async close({ graceMs, clock, hurry }: CloseOptions): Promise<void> {
    this.closing = true
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    this.drain()
    for (const connection of this.http1.values()) connection.close()
    for (const connection of this.http2) connection.close()
    await within(graceMs, closed, clock, hurry)
    for (const socket of this.sockets) socket.destroy()
    this.options.endStrangers(() => false)
    await closed
  }
}

function addressOf({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`
}

interface Http2Request {
  readonly incoming: Incoming
  readonly outgoing: Outgoing
  readonly isTooLarge: boolean
  readonly answer: Answer
}

/** The checks that node's listener makes for HTTP/1.1 before it emits a request. */
function answerHttp2({ incoming, outgoing, isTooLarge, answer }: Http2Request): void {
  const { expect } = incoming.headers
  if (isTooLarge) return refuse(outgoing, headTooLarge())
  if (incoming.method === "CONNECT") return refuse(outgoing, methodNotAllowed())
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") return refuse(outgoing, unknownExpectation())
  if (expect !== undefined) askForBodyWhenRead(incoming, outgoing)
  answer(incoming, outgoing)
}
