/**
 * Why a TLS connection to an etcd does not come about. gRPC tries again for ever and says little; one handshake by hand tells whose certificate
 * was refused by whom.
 */
import * as net from "node:net"
import { connect } from "node:tls"
import type { EtcdTls } from "./connection.ts"

/** Which side refused what, and the words of the TLS library. */
export interface HandshakeFault {
  readonly refused: "server-authority" | "server-name" | "server-dates" | "client-certificate" | "encryption" | "plain-text"
  readonly details: string
}

/** Patience with one server; one that is silent is no matter of certificates. */
const handshakeTimeoutMs = 5000

/** A client's first words in HTTP/2, with empty settings. A server that wants a certificate says so after the handshake, when it would answer. */
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
 * Called when a server could not be reached. Of an `http` server it says whether that speaks TLS nevertheless. Undefined: certificates are not
 * what keeps them apart. Never rejects.
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
      // Nothing is sent to a server of plain text but the question whether it is one.
      rejectUnauthorized: secure,
      ...(secure && { ca: tls.authority, cert: tls.certificate, key: tls.key }),
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
      // Whoever does not know what a handshake is may hang up without a word.
      if (code === "ECONNRESET")
        void speaksPlainly(address).then((plain) => end(plain ? { refused: "encryption", details: reason } : undefined))
      else end()
    })
  })
}

/** Whether HTTP/2 without TLS is answered as HTTP/2: by a frame of settings. */
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

/** What the other side dislikes it says by an alert, whose names end up in the code. */
function refusalOf(code: string): HandshakeFault["refused"] | undefined {
  return refusals[code] ?? (/^ERR_SSL_.*ALERT_.*(CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)/.test(code) ? "client-certificate" : undefined)
}
