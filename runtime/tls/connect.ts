/** Opens TLS to other machines: every connection of the server to one that it does not trust. */
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
 * With what several connections are encrypted. Every certificate of `ca` is a trust anchor, as in Go: a server's own
 * certificate, or that of an authority below the root, is enough. Throws what OpenSSL finds wrong with the options.
 */
export function clientContext(options: SecureContextOptions): SecureContext {
  // The other end could send more certificates in a second handshake, which nothing guards. Go has none.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
  return createSecureContext({ ...options, allowPartialTrustChain: true, secureOptions })
}

/**
 * Encrypts a connection, which may still be opening to an address. The stream ends with an Error when the other end
 * sends a chain that costs too much to be looked at, whether or not it is verified. Throws as `clientContext`.
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
      // What node's agent has put together are options of TLS too.
      const stream = connectTls(socket, options as ConnectionOptions)
      socket.on("error", (error) => stream.destroy(error))
      done?.(null, stream)
    })
  }
}
