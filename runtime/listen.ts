/** The secure port: HTTP/1.1 and HTTP/2 over TLS on one listener, through Hono's Node adapter. */
import { createSecureServer, type Http2SecureServer, type Http2Session } from "node:http2"
import { createAdaptorServer } from "@hono/node-server"
import type { Hono } from "hono"
import { http2SessionMemoryMb, requestHeaderBytesMax, tlsHandshakeTimeoutMs } from "./limits.ts"
import type { ServerEnv } from "./server-env.ts"

/** PEM texts of the serving pair. */
export interface Tls {
  readonly certificate: string
  readonly key: string
  readonly minVersion?: "TLSv1.2" | "TLSv1.3"
}

export interface Listener {
  readonly server: Http2SecureServer
  /** Stops accepting, lets requests in flight finish, then ends what is left. */
  close(): Promise<void>
}

/** Called once at start. Rejects when the port cannot be had. */
export async function listen(options: { app: Hono<ServerEnv>; host: string; port: number; tls: Tls }): Promise<Listener> {
  const { app, tls } = options
  const sessions = new Set<Http2Session>()
  const server = createAdaptorServer({
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
      settings: { maxHeaderListSize: requestHeaderBytesMax, maxConcurrentStreams: 250 },
    },
  }) as Http2SecureServer // The adapter answers what `createServer` made.
  server.on("session", (session) => {
    sessions.add(session)
    session.on("close", () => sessions.delete(session))
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port, options.host, () => {
      server.off("error", reject)
      resolve()
    })
  })
  return { server, close: () => close(server, sessions) }
}

async function close(server: Http2SecureServer, sessions: ReadonlySet<Http2Session>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const session of sessions) session.close()
  if ("closeIdleConnections" in server && typeof server.closeIdleConnections === "function") server.closeIdleConnections()
  await closed
}
