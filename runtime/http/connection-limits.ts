/** Which connections are taken at all, and how fast. */
import { readFileSync } from "node:fs"
import type { Server } from "node:https"
import type { Socket } from "node:net"
import { assert } from "../assert.ts"
import { connectionsMax, handshakesTurnMs, reservedFilesMax, strangersPerAddressMax, tlsHandshakeTimeoutMs } from "../limits.ts"

export interface ConnectionLimits {
  /** Default `connectionsMax`, or as many as the open files of the process allow. */
  readonly connectionsMax?: number
  /** Default `strangersPerAddressMax`. */
  readonly strangersPerAddressMax?: number
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
  const handshakes = new Handshakes(server)
  /** Ports of each address on whose connections no request has authenticated yet. */
  const strangers = new Map<string, Set<number>>()
  const forget = ({ remoteAddress = "", remotePort = 0 }: Peer): void => {
    const ports = strangers.get(remoteAddress)
    if (ports?.delete(remotePort) === true && ports.size === 0) strangers.delete(remoteAddress)
  }
  server.maxConnections = options.connectionsMax ?? connectionsWithin(openFilesMax())
  server.on("drop", (peer) =>
    warn("a connection was not taken: connectionsMax are open", { ...peer, connectionsMax: server.maxConnections }),
  )
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "", remotePort = 0 } = socket
    const ports = strangers.get(remoteAddress) ?? new Set()
    if (ports.size >= perAddressMax) {
      warn("a connection was not taken: strangersPerAddressMax of its address are open", {
        remoteAddress,
        strangersPerAddressMax: perAddressMax,
      })
      socket.destroy()
      return
    }
    strangers.set(remoteAddress, ports.add(remotePort))
    // Once it is closed it has no address any more.
    socket.once("close", () => forget({ remoteAddress, remotePort }))
    handshakes.add(socket)
  })
  return { known: forget }
}

/**
 * Begins handshakes of TLS a few at a time: each is a millisecond of arithmetic, once the client has said something, and a thousand clients that come at
 * the same moment are a second in which nobody else is answered.
 */
class Handshakes {
  private readonly begin: (socket: Socket) => void
  /** Connections whose client has said something. */
  private waiting: Socket[] = []
  private isScheduled = false

  constructor(server: Server) {
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

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      const startedMs = performance.now()
      do {
        const socket = this.waiting.shift()
        if (socket !== undefined && !socket.destroyed) this.begin(socket)
      } while (this.waiting.length > 0 && performance.now() - startedMs < handshakesTurnMs)
      this.schedule()
    })
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
