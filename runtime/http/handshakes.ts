/** Which clients that have not authenticated yet may speak TLS. */
import type { Socket } from "node:net"
import type { Clock } from "../base/clock.ts"
import type { Http1Server } from "./http1-exchange.ts"
import { handshakesTurnMs, handshakesTurnsBetween, tlsHandshakeTimeoutMs } from "../base/limits.ts"
import { takeListener } from "./node-internals.ts"

interface HandshakeLimits {
  readonly clock: Clock
  readonly warn: (message: string, facts: object) => void
  /** Connections without an authenticated request that may speak TLS at a time. */
  readonly max: number
  /** Milliseconds for which they may when others wait. */
  readonly graceMs: number
}

/**
 * Begins handshakes of TLS a few at a time: each is a millisecond of arithmetic, once the client has said something, and a thousand clients that come at
 * the same moment are a second in which nobody else is answered. Others wait while `max` that have begun have not authenticated; when the oldest of
 * those has had its time it makes room. Addresses take turns, and the one that has most of those makes room for one that has fewer at once: a thousand
 * connections of one address hold up no other.
 */
export class Handshakes {
  private readonly begin: (socket: Socket) => void
  /** Connections whose client has said something, by address; the address whose turn it is stands first. */
  private readonly waiting = new Map<string, Set<Socket>>()
  /** Those that speak TLS, by address, and since when: the oldest first. */
  private readonly begun = new Map<string, Map<Socket, number>>()
  private begunCount = 0
  private isScheduled = false
  private isTimed = false
  /** Of the event loop, until some have their handshakes. */
  private turnsLeft = 0

  constructor(
    server: Http1Server,
    private readonly limits: HandshakeLimits,
  ) {
    const begin = takeListener(server, "connection")
    this.begin = (socket) => begin(server, socket)
  }

  add(socket: Socket, address: string): void {
    const fail = (): void => void socket.destroy()
    socket.setTimeout(tlsHandshakeTimeoutMs, fail)
    socket.once("error", fail)
    socket.once("readable", () => {
      socket.setTimeout(0)
      socket.off("timeout", fail)
      socket.off("error", fail)
      if (socket.destroyed) return
      const sockets = this.waiting.get(address)
      if (sockets === undefined) this.waiting.set(address, new Set([socket]))
      else sockets.add(socket)
      this.schedule()
    })
  }

  /** The connection has gone, or one of its requests has authenticated. */
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

  /** Whose turn it is, once there is room for it; undefined: for nobody yet, it is tried again when there may be. */
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

  /** Of the address that has most connections that speak TLS, the oldest. */
  private oldestOfMost(): { address: string; socket: Socket; sinceMs: number; count: number } | undefined {
    let most = ""
    for (const [address, sockets] of this.begun) if (sockets.size > (this.begun.get(most)?.size ?? 0)) most = address
    const sockets = this.begun.get(most) ?? new Map<Socket, number>()
    for (const [socket, sinceMs] of sockets) return { address: most, socket, sinceMs, count: sockets.size }
    return undefined
  }

  /** The first that waits and has fewer connections that speak TLS than `count`. */
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

  /** The first of an address that waits has its handshake; then it is another address's turn. */
  private beginFirst(address: string): void {
    const row = this.waiting.get(address) ?? new Set<Socket>()
    this.waiting.delete(address)
    const [socket] = row
    if (socket === undefined) return
    row.delete(socket)
    if (row.size > 0) this.waiting.set(address, row)
    // Destroyed, and not yet closed.
    if (socket.destroyed) return
    const sockets = this.begun.get(address) ?? new Map<Socket, number>()
    this.begun.set(address, sockets.set(socket, this.limits.clock.elapsedMs()))
    this.begunCount++
    this.begin(socket)
  }

  /** False: it does not speak TLS, or not any more. */
  private end(socket: Socket, address: string): boolean {
    const sockets = this.begun.get(address)
    if (sockets?.delete(socket) !== true) return false
    if (sockets.size === 0) this.begun.delete(address)
    this.begunCount--
    return true
  }
}
