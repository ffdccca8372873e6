/** The secure port: HTTP/1.1 and HTTP/2 over TLS on one listener. */
import { createServer as createHttpsServer } from "node:https"
import { type AddressInfo, Socket } from "node:net"
import { type Clock, systemClock } from "../base/clock.ts"
import { CertificateChoice } from "./certificate-choice.ts"
import { type ConnectionLimits, limitConnections } from "./connection-limits.ts"
import { type CloseOptions, Connections } from "./connections.ts"
import { checkNode, checkTls } from "./node-internals.ts"
import { requestListener } from "./request-listener.ts"
import { http1Classes, type Http1Server } from "./http1-exchange.ts"
import { type Http2Name, http2Implementations } from "./http2-implementation.ts"
import { KeptBytes, type KeptBytesOptions } from "./kept-bytes.ts"
import { Allowance } from "../http2/allowance.ts"
import { http2StreamsMax, requestHeaderBytesMax, requestHeaderFieldsMax, warningsBurst, warningsPerSecond } from "../base/limits.ts"
import type { App } from "./env.ts"
import { type TimeLimits, timeLimits } from "./time-limits.ts"
import type { Tls } from "./tls.ts"

export interface ListenOptions {
  readonly app: App
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly tls: Tls
  /** `--http2-max-streams-per-connection` */
  readonly streamsPerConnection?: number
  /** `--http2-implementation`; default `own`. */
  readonly http2?: Http2Name
  /** Default `timeLimits`. */
  readonly times?: Partial<TimeLimits>
  /** Default: the clock of the machine. */
  readonly clock?: Clock
  /** Default: the limits of `limits.ts`. */
  readonly limits?: ConnectionLimits & Pick<KeptBytesOptions, "knownMax" | "strangersMax">
  /** Called for connections that were ended or not accepted. Limited to `warningsPerSecond`. */
  readonly warn?: (message: string, facts: object) => void
}

export interface Listener {
  readonly server: Http1Server
  /** The given port, or the one that the system chose for 0. */
  readonly port: number
  /**
   * Called when the server begins to stop, and still accepts connections: cuts strangers, on whose connections no
   * request has authenticated, and from now on clients that make no progress for `stopStallMs`.
   */
  drain(): void
  /** Stops accepting connections and lets requests in flight finish, as `CloseOptions` say. Begins with `drain`. */
  close(options: CloseOptions): Promise<void>
  /**
   * New connections get these certificates, keys and authorities; open ones keep theirs. Throws OpenSSL's error if they
   * are invalid, and changes nothing then. Absent in a simulation.
   */
  setTls?(tls: Tls): void
  /** From now on, neither the port nor its connections keep the process alive. */
  unref(): void
}

/**
 * Called once at start. Rejects with the system's error if the port is not free; throws if node lacks a needed
 * internal.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  checkNode()
  const { app, http2 = "own", streamsPerConnection = http2StreamsMax } = options
  const warn = seldom(options.warn ?? (() => undefined))
  const times = { ...timeLimits, ...options.times }
  const choice = new CertificateChoice(options.tls)
  checkTls(choice.servedFor("", undefined).context)
  const server = createServer(times)
  const limited = limitConnections(server, { ...options.limits, choice, clock: options.clock ?? systemClock, warn, times })
  const kept = new KeptBytes({
    ...options.limits,
    onCut: (cut) => warn("a connection was ended: connections like it had too much kept for them, and it had most", cut),
    onKnown: (peer) => limited.known(peer),
  })
  const connections = new Connections(server, {
    answer: requestListener(app),
    times,
    kept,
    endStrangers: (isIdle) => limited.end(isIdle),
    streamsMax: streamsPerConnection,
    http2: http2Implementations[http2],
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port, options.host, () => {
      server.off("error", reject)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo // A listening TCP server has one.
  const unref = (): void => {
    server.unref()
    server.on("connection", (socket) => void (socket instanceof Socket && socket.unref()))
  }
  return {
    ...{ server, port, unref },
    drain: () => connections.drain(),
    close: (how) => connections.close(how),
    setTls: (tls) => choice.set(tls),
  }
}

/** Needs no certificate: `begin-tls.ts` begins TLS in place of node's listener. */
function createServer(times: TimeLimits): Http1Server {
  const server = createHttpsServer({
    ...http1Classes,
    maxHeaderSize: requestHeaderBytesMax,
    headersTimeout: times.requestHeaderTimeoutMs,
    keepAliveTimeout: times.idleConnectionTimeoutMs,
    // Keepalive of TCP, independent of the protocol on the connection.
    keepAlive: true,
    keepAliveInitialDelay: times.clientKeepAliveMs,
    connectionsCheckingInterval: times.connectionCheckMs,
    // Watches have no time limit here.
    requestTimeout: 0,
    // `refusalOf` checks it and answers with a Status.
    requireHostHeader: false,
  })
  server.maxHeadersCount = requestHeaderFieldsMax
  return server
}

/** Limits the rate of warnings, so that one client cannot fill the log. */
function seldom(warn: (message: string, facts: object) => void): typeof warn {
  const allowance = new Allowance({ burst: warningsBurst, perSecond: warningsPerSecond }, systemClock)
  let unsaid = 0
  return (message, facts) => {
    if (!allowance.take()) {
      unsaid++
      return
    }
    warn(message, unsaid === 0 ? facts : { ...facts, unsaid })
    unsaid = 0
  }
}
