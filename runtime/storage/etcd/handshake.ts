/**
 * Finds out why a TLS connection to etcd fails. gRPC retries for ever and says little; one separate handshake shows
 * which side refused which certificate.
 */
import * as net from "node:net"
import { connect } from "node:tls"
import { clientContext } from "../../tls/connect.ts"
import type { EtcdTls } from "./connection.ts"

/** The side that refused, the thing it refused, and the message of the TLS library. */
export interface HandshakeFault {
  readonly refused: "server-authority" | "server-name" | "server-dates" | "client-certificate" | "encryption" | "plain-text"
  readonly details: string
}

/** Time limit for one server; silence is not a matter of certificates. */
const handshakeTimeoutMs = 5000

/**
 * A client's preface in HTTP/2, with empty settings. A server that requires a certificate reports that after the
 * handshake, instead of an answer.
 */
const prefaceAndSettings = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1")

const refusals: Readonly<Record<string, HandshakeFault["refused"]>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "server-authority",
  SELF_SIGNED_CERT_IN_CHAIN: "server-authority",
  UNABLE_TO_GET_ISSUER_CERT: "server-authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "server-authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "server-authority",
  CERT_SIGNATURE_FAILURE: "server-authority",
  CERT_UNTRUSTED: "server-authority",
  INVALID_CA: "server-authority",
  CERT_HAS_EXPIRED: "server-dates",
  CERT_NOT_YET_VALID: "server-dates",
  ERR_TLS_CERT_ALTNAME_INVALID: "server-name",
  ERR_SSL_WRONG_VERSION_NUMBER: "encryption",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "encryption",
}

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Called when a server could not be reached. For an `http` server it checks whether that speaks TLS nevertheless.
 * Undefined: certificates are not the cause. Never rejects.
 */
export function handshakeFault(server: string, tls: EtcdTls): Promise<HandshakeFault | undefined> {
  const { hostname, port, protocol } = new URL(server)
  const host = hostname.replace(/^\[|\]$/g, "")
  const secure = protocol === "https:"
  const address = { host, port: Number(port === "" ? (secure ? 443 : 80) : port) }
  return new Promise((resolve) => {
    const socket = connect({
      ...address,
      ...(net.isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ["h2"],
      // A plain-text server is sent only a handshake, to see whether it answers.
      rejectUnauthorized: secure,
      secureContext: clientContext(secure ? { ca: tls.authority, cert: tls.certificate, key: tls.key } : {}),
    })
    function end(fault?: HandshakeFault): void {
      socket.destroy()
      resolve(fault)
    }
    socket.setTimeout(handshakeTimeoutMs, end)
    socket.on("secureConnect", () => {
      if (secure) socket.write(prefaceAndSettings)
      else end({ refused: "plain-text", details: "it answers a TLS handshake" })
    })
    socket.on("data", () => end())
    socket.on("close", (failed) => failed || end())
    socket.on("error", (error: NodeJS.ErrnoException & { readonly reason?: string }) => {
      if (!secure) return end()
      const { code = "", message, reason = message } = error
      const refused = refusalOf(code)
      if (refused !== undefined) return end({ refused, details: reason })
      // A server that does not speak TLS may close the connection silently.
      if (code === "ECONNRESET")
        void speaksPlainly(address).then((plain) => end(plain ? { refused: "encryption", details: reason } : undefined))
      else end()
    })
  })
}

/** Whether the server answers HTTP/2 without TLS by a SETTINGS frame. */
function speaksPlainly(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(address, () => socket.write(prefaceAndSettings))
    function end(plain: boolean): void {
      socket.destroy()
      resolve(plain)
    }
    socket.setTimeout(handshakeTimeoutMs, () => end(false))
    socket.on("data", (answer: Buffer) => end(answer[frameTypeAt] === settingsFrame))
    socket.on("error", () => end(false))
    socket.on("close", () => end(false))
  })
}

const frameTypeAt = 3
const settingsFrame = 4

/** The other side's objection arrives as an alert, whose name becomes part of the code. */
function refusalOf(code: string): HandshakeFault["refused"] | undefined {
  return refusals[code] ?? (/^ERR_SSL_.*ALERT_.*(CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)/.test(code) ? "client-certificate" : undefined)
}
