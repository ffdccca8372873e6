/** Schedules the TLS handshakes of clients that have not authenticated. */
import type { Socket } from "node:net"
import { type Clock, systemClock } from "../base/clock.ts"
import { handshakesTurnMs, handshakesTurnsBetween } from "../base/limits.ts"
import { beginTls } from "./begin-tls.ts"
import type { CertificateChoice } from "./certificate-choice.ts"
import { CertificateTurns } from "./certificate-turns.ts"
import type { Http1Server } from "./http1-exchange.ts"
import { takeListener } from "./node-internals.ts"
import { readServerName } from "./read-server-name.ts"

interface HandshakeLimits {
  /** Chooses the certificate with which a handshake begins. */
  readonly choice: Pick<CertificateChoice, "readsNames" | "servedFor">
  readonly clock: Clock
  readonly warn: (message: string, facts: object) => void
  /** The most connections without an authenticated request that may speak TLS at a time. */
  readonly max: number
  /** Milliseconds for which such a connection may speak TLS while others wait. */
  readonly graceMs: number
  /** Milliseconds until a connection must begin TLS, and then for its handshake. */
  readonly silentMs: number
}

/**
 * Begins a few TLS handshakes at a time, each once its client has sent something. A handshake costs a millisecond of
 * CPU, so a thousand clients that connect at once would block all other clients for a second. New connections wait
 * while `max` connections are begun and unauthenticated; the oldest of them makes room after `graceMs`. Addresses take
 * turns, and the address with the most begun connections gives one up at once for an address with fewer: a thousand
 * connections of one address delay no other address.
 */
export class Handshakes {
  private readonly certificates: CertificateTurns
  /**
   * Connections whose client has sent something, by address, with the host that it names if that matters; the next
   * address in turn comes first.
   */
  private readonly waiting = new Map<string, Map<Socket, string>>()
  /** The time at which each connection began to speak TLS, by address; the oldest comes first. */
  private readonly begun = new Map<string, Map<Socket, number>>()
  private begunCount = 0
  private isScheduled = false
  private isTimed = false
  /** Turns of the event loop until the next handshakes begin. */
  private turnsLeft = 0

  constructor(
    private readonly server: Http1Server,
    private readonly limits: HandshakeLimits,
  ) {
    // Node's own listener would begin TLS at once, without a guard.
    takeListener(server, "connection")
    // Checks are charged in real CPU time, so they wait in real time, whatever clock the server has.
    this.certificates = new CertificateTurns(systemClock)
  }

  private begin(socket: Socket, name: string, address: string): void {
    const { choice, silentMs, warn } = this.limits
    beginTls(socket, {
      server: this.server,
      served: choice.servedFor(choice.readsNames ? name : "", socket.localAddress),
      timeoutMs: silentMs,
      inTurn: (check) => this.certificates.wait(address, check),
      onFault: (reason) => warn("a connection was ended", { remoteAddress: address, reason }),
    })
  }

  add(socket: Socket, address: string): void {
    const fail = (): void => void socket.destroy()
    const { choice, clock, silentMs: timeoutMs } = this.limits
    socket.setTimeout(timeoutMs, fail)
    socket.once("error", fail)
    const ready = (name: string): void => {
      socket.setTimeout(0)
      socket.off("timeout", fail)
      socket.off("error", fail)
      if (socket.destroyed) return
      const sockets = this.waiting.get(address)
      if (sockets === undefined) this.waiting.set(address, new Map([[socket, name]]))
      else sockets.set(socket, name)
      this.schedule()
    }
    if (choice.readsNames) readServerName(socket, { clock, timeoutMs }, ready)
    else socket.once("readable", () => ready(""))
  }

  /** Called when the connection has closed, or one of its requests has authenticated. */
  leave(socket: Socket, address: string): void {
    const sockets = this.waiting.get(address)
    if (sockets?.delete(socket) === true && sockets.size === 0) this.waiting.delete(address)
    if (this.end(socket, address)) this.schedule()
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.size === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      if (this.turnsLeft-- > 0) return this.schedule()
      this.turnsLeft = handshakesTurnsBetween
      this.takeTurn()
    })
  }

  private takeTurn(): void {
    const { clock } = this.limits
    const startedMs = clock.elapsedMs()
    do {
      const address = this.addressWithRoom()
      if (address === undefined) return
      this.beginFirst(address)
    } while (clock.elapsedMs() - startedMs < handshakesTurnMs)
    this.schedule()
  }

  /** The address that is next, if there is room for it. Undefined if there is none yet: a timer then tries again. */
  private addressWithRoom(): string | undefined {
    const { max, graceMs, clock, warn } = this.limits
    const [first] = this.waiting.keys()
    if (first === undefined || this.begunCount < max) return first
    const oldest = this.oldestOfMost()
    if (oldest === undefined) return first
    const leftMs = oldest.sinceMs + graceMs - clock.elapsedMs()
    const next = leftMs <= 0 ? first : this.addressWithFewer(oldest.count - 1)
    if (next === undefined) {
      this.tryAgainAfter(leftMs)
      return undefined
    }
    const { socket, address } = oldest
    warn("a connection was ended: others wait, and of strangersOpenMax it was the oldest", {
      remoteAddress: address,
      strangersOpenMax: max,
    })
    this.end(socket, address)
    socket.destroy()
    return next
  }

  /** The oldest connection of the address with the most connections that speak TLS. */
  private oldestOfMost(): { address: string; socket: Socket; sinceMs: number; count: number } | undefined {
    let most = ""
    for (const [address, sockets] of this.begun) if (sockets.size > (this.begun.get(most)?.size ?? 0)) most = address
    const sockets = this.begun.get(most) ?? new Map<Socket, number>()
    for (const [socket, sinceMs] of sockets) return { address: most, socket, sinceMs, count: sockets.size }
    return undefined
  }

  /** The first waiting address with fewer than `count` connections that speak TLS. */
  private addressWithFewer(count: number): string | undefined {
    for (const address of this.waiting.keys()) if ((this.begun.get(address)?.size ?? 0) < count) return address
    return undefined
  }

  private tryAgainAfter(delayMs: number): void {
    if (this.isTimed) return
    this.isTimed = true
    this.limits.clock.after(delayMs, () => {
      this.isTimed = false
      this.schedule()
    })
  }

  /** Begins the first handshake of an address, and moves the address to the end of the row. */
  private beginFirst(address: string): void {
    const row = this.waiting.get(address) ?? new Map<Socket, string>()
    this.waiting.delete(address)
    const [[socket, name] = [undefined, ""]] = row
    if (socket === undefined) return
    row.delete(socket)
    if (row.size > 0) this.waiting.set(address, row)
    // Destroyed, but not closed yet.
    if (socket.destroyed) return
    const sockets = this.begun.get(address) ?? new Map<Socket, number>()
    this.begun.set(address, sockets.set(socket, this.limits.clock.elapsedMs()))
    this.begunCount++
    this.begin(socket, name, address)
  }

  /** False if the connection does not speak TLS, or no longer does. */
  private end(socket: Socket, address: string): boolean {
    const sockets = this.begun.get(address)
    if (sockets?.delete(socket) !== true) return false
    if (sockets.size === 0) this.begun.delete(address)
    this.begunCount--
    return true
  }
}
