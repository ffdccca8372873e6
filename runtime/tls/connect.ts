/** Opens TLS connections to other machines: every connection of the server to a machine that it does not trust. */
import { constants } from "node:crypto"
import { Agent, type RequestOptions } from "node:https"
import { connect as connectTcp, type Socket } from "node:net"
import {
  connect,
  type ConnectionOptions,
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from "node:tls"
import { guardHandshake } from "./guard-handshake.ts"
import { handshakeCertificatesMax, serverHandshakeBytesMax } from "./limits.ts"

const limits = { bytesMax: serverHandshakeBytesMax, certificatesMax: handshakeCertificatesMax }

/**
 * Encryption settings shared by several connections. Every certificate of `ca` is a trust anchor, as in Go: a server's
 * own certificate, or an authority's below the root, is enough. Throws OpenSSL's error about the options.
 */
export function clientContext(options: SecureContextOptions): SecureContext {
  // Forbids renegotiation, in which the other end could send more certificates unguarded. Go has none.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
  return createSecureContext({ ...options, allowPartialTrustChain: true, secureOptions })
}

/**
 * Encrypts a connection, which may still be opening to an address. The stream ends with an Error when the other end
 * sends a chain that would cost too much to verify, even if verification is off. Throws as `clientContext`.
 */
export function connectTls(socket: Socket, { secureContext, ...options }: ConnectionOptions): TLSSocket {
  const stream = connect({ ...options, socket, secureContext: secureContext ?? clientContext(options) })
  guardHandshake(stream, socket, { from: "server", limits, onFault: (reason) => stream.destroy(new Error(`tls: ${reason}`)) })
  return stream
}

/** An agent for node:https whose connections are opened here. Each serves one request. */
export class GuardedAgent extends Agent {
  override createConnection(options: RequestOptions, done?: (error: Error | null, stream: Socket) => void): undefined {
    const { host, port } = options
    const socket = connectTcp({ host: host ?? "localhost", port: Number(port) })
    const fail = (error: Error): void => done?.(error, socket)
    socket.once("error", fail)
    socket.once("connect", () => {
      socket.off("error", fail)
      // The options that node's agent has gathered include the options of TLS.
      const stream = connectTls(socket, options as ConnectionOptions)
      socket.on("error", (error) => stream.destroy(error))
      done?.(null, stream)
    })
  }
}
