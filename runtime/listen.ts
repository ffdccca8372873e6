/** The secure port: HTTP/1.1 and HTTP/2 over TLS on one listener, through Hono's Node adapter. */
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from "node:http2"
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { createAdaptorServer } from "@hono/node-server"
import type { Hono } from "hono"
import { type Clock, systemClock } from "./clock.ts"
import { endWhenDead } from "./dead-connections.ts"
import { http2CheckIntervalMs, http2SessionMemoryMb, http2StreamsMax, requestHeaderBytesMax, tlsHandshakeTimeoutMs } from "./limits.ts"
import { answerMalformed, type ParserFault } from "./malformed-request.ts"
import type { ServerEnv } from "./server-env.ts"

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
  return { server, close: (how) => connections.close(how) }
}

function createServer({ app, tls, streamsPerConnection = http2StreamsMax }: ListenOptions): Http2SecureServer {
  return createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    createServer: createSecureServer,
    serverOptions: {
      allowHTTP1: true,
      cert: tls.certificate,
      key: tls.key,
      minVersion: tls.minVersion ?? "TLSv1.2",
      maxSessionMemory: http2SessionMemoryMb,
      handshakeTimeout: tlsHandshakeTimeoutMs,
      maxHeaderListPairs: 256,
      settings: { maxHeaderListSize: requestHeaderBytesMax, maxConcurrentStreams: streamsPerConnection },
    },
  }) as Http2SecureServer // The adapter answers what `createServer` made.
}

/** What is connected, so that a server that stops can let go of it in order. */
class Connections {
  private readonly sockets = new Set<TLSSocket>()
  private readonly sessions = new Set<Http2Session>()
  /** Requests in flight of each HTTP/1.1 connection. HTTP/2 counts its own. */
  private readonly busy = new Map<Socket, number>()
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
    server.on("request", (request, response) => this.onRequest(request, response))
    server.on("clientError", (fault: ParserFault, socket: Socket) => {
      // While an answer is on its way nothing can be said before it.
      if (this.busy.has(socket)) socket.destroy()
      else answerMalformed(socket, fault)
    })
  }

  private onRequest(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse): void {
    if (request.httpVersionMajor >= 2) return
    const { socket } = request
    this.busy.set(socket, (this.busy.get(socket) ?? 0) + 1)
    response.on("close", () => {
      const left = (this.busy.get(socket) ?? 1) - 1
      if (left > 0) this.busy.set(socket, left)
      else this.busy.delete(socket)
      if (this.closing && left === 0) socket.end()
    })
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
