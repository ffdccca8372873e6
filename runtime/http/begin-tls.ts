/** Begins TLS on the connection of a client. */
import type { Socket } from "node:net"
import { TLSSocket } from "node:tls"
import { guardHandshake } from "../tls/guard-handshake.ts"
import { clientHandshakeBytesMax, handshakeCertificatesMax } from "../tls/limits.ts"
import type { ServedTls } from "./certificate-choice.ts"
import type { Http1Server } from "./http1-exchange.ts"
import { onHandshakeError, releaseControl } from "./node-internals.ts"

const limits = { bytesMax: clientHandshakeBytesMax, certificatesMax: handshakeCertificatesMax }
/** The name of HTTP/2 in TLS (ALPN): RFC 9113 section 3.1. */
export const http2Name = "h2"
const protocols = [http2Name, "http/1.1"]

export interface BeginOptions {
  readonly server: Http1Server
  readonly served: ServedTls
  /** For the whole handshake. */
  readonly timeoutMs: number
  /** As in `GuardOptions`. */
  readonly inTurn: (check: () => void) => void
  /** Called for a client whose handshake was broken off. */
  readonly onFault: (reason: string) => void
}

/**
 * Called once per connection, whose arrived bytes are still unread. As node's listener of `connection`, except that it
 * guards the handshake: emits `secureConnection` of the server, or `tlsClientError`.
 */
export function beginTls(socket: Socket, { server, served, timeoutMs, inTurn, onFault }: BeginOptions): void {
  const first: Buffer | null = socket.read()
  const stream = new TLSSocket(socket, {
    isServer: true,
    server,
    secureContext: served.context,
    requestCert: served.asksForCertificate,
    // Whether it is valid is decided per request.
    rejectUnauthorized: false,
    ALPNProtocols: protocols,
  })
  const fail = (): void => void stream.destroy()
  stream.setTimeout(timeoutMs, fail)
  const tell = (error: Error): void => void server.emit("tlsClientError", error, stream)
  onHandshakeError(stream, tell)
  stream.once("secure", () => {
    stream.setTimeout(0)
    stream.off("timeout", fail)
    if (stream.destroyed) return
    releaseControl(stream, tell)
    server.emit("secureConnection", stream)
  })
  guardHandshake(stream, socket, {
    from: "client",
    limits,
    first: first ?? undefined,
    inTurn,
    onFault(reason) {
      onFault(reason)
      socket.destroy()
    },
  })
}
