/** Limits which connections the server accepts, and how fast. */
import { readFileSync } from "node:fs"
import type { Socket } from "node:net"
import type { Clock } from "../base/clock.ts"
import { connectionsMax, reservedFilesMax, strangerGraceMs, strangersOpenMax, strangersPerAddressMax } from "../base/limits.ts"
import type { CertificateChoice } from "./certificate-choice.ts"
import { Handshakes } from "./handshakes.ts"
import type { TimeLimits } from "./time-limits.ts"
import type { Http1Server } from "./http1-exchange.ts"

export interface ConnectionLimits {
  /** Default: `connectionsMax`, or fewer if the process may not open that many files. */
  readonly connectionsMax?: number
  /** Default `strangersPerAddressMax`. */
  readonly strangersPerAddressMax?: number
  /** Default `strangersOpenMax`. */
  readonly strangersOpenMax?: number
  /** Default `strangerGraceMs`. */
  readonly strangerGraceMs?: number
}

interface Options extends ConnectionLimits {
  readonly choice: CertificateChoice
  readonly times: Pick<TimeLimits, "tlsHandshakeTimeoutMs">
  readonly clock: Clock
  readonly warn: (message: string, facts: object) => void
}

/** A client's address and port, which are the same before and behind TLS. */
export type Peer = Pick<Socket, "remoteAddress" | "remotePort">

export interface LimitedConnections {
  /** Called once a request of the connection has authenticated: the connection no longer counts for its address. */
  known(peer: Peer): void
  /** Called when the server stops: cuts the other connections, handshakes included, except spared ones. */
  end(isSpared: (peer: Peer) => boolean): void
}

/** Called once per server, before it listens. */
export function limitConnections(server: Http1Server, options: Options): LimitedConnections {
  const { choice, clock, warn } = options
  const perAddressMax = options.strangersPerAddressMax ?? strangersPerAddressMax
  /** Connections on which no request has authenticated yet, by address and port. */
  const strangers = new Map<string, Map<number, Socket>>()
  const forget = ({ remoteAddress = "", remotePort = 0 }: Peer): void => {
    const ports = strangers.get(remoteAddress)
    const socket = ports?.get(remotePort)
    if (ports === undefined || socket === undefined) return
    handshakes.leave(socket, remoteAddress)
    ports.delete(remotePort)
    if (ports.size === 0) strangers.delete(remoteAddress)
  }
  const handshakes = new Handshakes(server, {
    max: options.strangersOpenMax ?? strangersOpenMax,
    graceMs: options.strangerGraceMs ?? strangerGraceMs,
    choice,
    silentMs: options.times.tlsHandshakeTimeoutMs,
    clock,
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
    // A closed socket has no address.
    socket.once("close", () => forget({ remoteAddress, remotePort }))
    handshakes.add(socket, remoteAddress)
  })
  return {
    known: forget,
    end(isSpared) {
      for (const ports of strangers.values()) for (const socket of ports.values()) if (!isSpared(socket)) socket.destroy()
    },
  }
}

/** The number of connections for a process that may open this many files. Exported for tests. */
export function connectionsWithin(openFiles: number): number {
  return Math.min(connectionsMax, openFiles - Math.min(reservedFilesMax, Math.ceil(openFiles / 4)))
}

/** Node raises its soft limit to the hard limit at start. Systems that do not report a limit are taken to have none. */
function openFilesMax(): number {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))
    return Number(found?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
