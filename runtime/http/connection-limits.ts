/** Which connections are taken at all, and how fast. */
import { readFileSync } from "node:fs"
import type { Server } from "node:https"
import type { Socket } from "node:net"
import { assert } from "../assert.ts"
import {
  connectionsMax,
  handshakesTurnMs,
  reservedFilesMax,
  strangerGraceMs,
  strangersOpenMax,
  strangersPerAddressMax,
  tlsHandshakeTimeoutMs,
} from "../limits.ts"

export interface ConnectionLimits {
  /** Default `connectionsMax`, or as many as the open files of the process allow. */
  readonly connectionsMax?: number
  /** Default `strangersPerAddressMax`. */
  readonly strangersPerAddressMax?: number
  /** Default `strangersOpenMax`. */
  readonly strangersOpenMax?: number
  /** Default `strangerGraceMs`. */
  readonly strangerGraceMs?: number
}

interface Options extends ConnectionLimits {
  readonly warn: (message: string, facts: object) => void
}

/** An end of a connection, by which it is found again behind TLS. */
type Peer = Pick<Socket, "remoteAddress" | "remotePort">

export interface LimitedConnections {
  /** Called once a request of the connection has authenticated: it counts no longer for its address. */
  known(peer: Peer): void
}

/** Called once per server, before it listens. */
export function limitConnections(server: Server, options: Options): LimitedConnections {
  const { warn } = options
  const perAddressMax = options.strangersPerAddressMax ?? strangersPerAddressMax
  /** Connections on which no request has authenticated yet, by address and port. */
  const strangers = new Map<string, Map<number, Socket>>()
  const forget = ({ remoteAddress = "", remotePort = 0 }: Peer): void => {
    const ports = strangers.get(remoteAddress)
    const socket = ports?.get(remotePort)
    if (ports === undefined || socket === undefined) return
    handshakes.leave(socket)
    ports.delete(remotePort)
    if (ports.size === 0) strangers.delete(remoteAddress)
  }
  const handshakes = new Handshakes(server, {
    max: options.strangersOpenMax ?? strangersOpenMax,
    graceMs: options.strangerGraceMs ?? strangerGraceMs,
    warn,
  })
  server.maxConnections = options.connectionsMax ?? connectionsWithin(openFilesMax())
  server.on("drop", (peer) =>
    warn("a connection was not taken: connectionsMax are open", { ...peer, connectionsMax: server.maxConnections }),
  )
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "", remotePort = 0 } = socket
    const ports = strangers.get(remoteAddress) ?? new Map<number, Socket>()
    if (ports.size >= perAddressMax) {
      warn("a connection was not taken: strangersPerAddressMax of its address are open", {
        remoteAddress,
        strangersPerAddressMax: perAddressMax,
      })
      socket.destroy()
      return
    }
    strangers.set(remoteAddress, ports.set(remotePort, socket))
    // Once it is closed it has no address any more.
    socket.once("close", () => forget({ remoteAddress, remotePort }))
    handshakes.add(socket)
  })
  return { known: forget }
}

interface HandshakeLimits extends Pick<Options, "warn"> {
  /** Connections without an authenticated request that may speak TLS at a time. */
  readonly max: number
  /** Milliseconds for which they may when others wait. */
  readonly graceMs: number
}

/**
 * Begins handshakes of TLS a few at a time: each is a millisecond of arithmetic, once the client has said something, and a thousand clients that come at
 * the same moment are a second in which nobody else is answered. Others wait while `max` that have begun have not authenticated; when the first of
 * those has had its time it makes room.
 */
class Handshakes {
  private readonly begin: (socket: Socket) => void
  /** Connections whose client has said something. */
  private readonly waiting: Socket[] = []
  /** Those that speak TLS, and since when: the oldest first. */
  private readonly begun = new Map<Socket, number>()
  private isScheduled = false
  private timer: NodeJS.Timeout | undefined

  constructor(
    server: Server,
    private readonly limits: HandshakeLimits,
  ) {
    const [onConnection] = server.listeners("connection")
    assert(onConnection !== undefined, "a server of TLS listens to connections")
    server.removeAllListeners("connection")
    this.begin = (socket) => onConnection.call(server, socket)
  }

  add(socket: Socket): void {
    const fail = (): void => void socket.destroy()
    socket.setTimeout(tlsHandshakeTimeoutMs, fail)
    socket.once("error", fail)
    socket.once("readable", () => {
      socket.setTimeout(0)
      socket.off("timeout", fail)
      socket.off("error", fail)
      this.waiting.push(socket)
      this.schedule()
    })
  }

  /** The connection has gone, or one of its requests has authenticated. */
  leave(socket: Socket): void {
    if (this.begun.delete(socket)) this.schedule()
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      const startedMs = performance.now()
      while (this.waiting.length > 0 && this.makesRoom()) {
        const socket = this.waiting.shift()
        if (socket === undefined || socket.destroyed) continue
        this.begun.set(socket, performance.now())
        this.begin(socket)
        if (performance.now() - startedMs >= handshakesTurnMs) return this.schedule()
      }
    })
  }

  /** Whether one more may speak TLS now; else it is tried again when there may be room. */
  private makesRoom(): boolean {
    const { begun, limits } = this
    if (begun.size < limits.max) return true
    for (const [oldest, sinceMs] of begun) {
      const leftMs = sinceMs + limits.graceMs - performance.now()
      if (leftMs > 0) {
        this.timer ??= setTimeout(() => {
          this.timer = undefined
          this.schedule()
        }, leftMs).unref()
        return false
      }
      begun.delete(oldest)
      const { remoteAddress } = oldest
      limits.warn("a connection was ended: others wait, and of strangersOpenMax it was the oldest", {
        remoteAddress,
        strangersOpenMax: limits.max,
      })
      oldest.destroy()
      return true
    }
    return true
  }
}

/** Exported for tests. How many connections a process may have that may have so many files open. */
export function connectionsWithin(openFiles: number): number {
  return Math.min(connectionsMax, openFiles - Math.min(reservedFilesMax, Math.ceil(openFiles / 4)))
}

/** Node raises its soft limit to the hard one when it starts. Where the system does not say, it has no limit that matters. */
function openFilesMax(): number {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))
    return Number(found?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
