/** The certificates that clients send in TLS. They are not verified here. */
import type { X509Certificate } from "node:crypto"
import { TLSSocket } from "node:tls"
import type { ConnectionEnds } from "./exchange.ts"

const none: readonly X509Certificate[] = []
const known = new WeakMap<TLSSocket, readonly X509Certificate[]>()

/**
 * The client's certificate and the intermediate ones that it sent, in their order; empty without one, and on a closed
 * connection. The same list for all requests of a connection.
 */
export function sentCertificates(ends: ConnectionEnds): readonly X509Certificate[] {
  const socket = ends instanceof TLSSocket ? ends : ends.tlsSocket
  if (!(socket instanceof TLSSocket)) return none
  const before = known.get(socket)
  if (before !== undefined) return before
  if (socket.destroyed) return none
  // Node takes the chain from the connection as it returns it: a second call would return the first certificate only.
  const sent: X509Certificate[] = []
  for (let each = socket.getPeerX509Certificate(); each !== undefined; each = each.issuerCertificate) sent.push(each)
  const list = sent.length === 0 ? none : sent
  known.set(socket, list)
  return list
}
