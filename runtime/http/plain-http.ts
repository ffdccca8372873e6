/** HTTP without TLS on the port of HTTPS: a slip in an address that deserves a word instead of a closed connection. */
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { badRequest } from "../base/errors.ts"
import type { Http1Server } from "./http1-exchange.ts"
import { endWithError } from "./malformed-request.ts"

/** Called once per server. */
export function answerPlainHttp(server: Http1Server): void {
  /** Connections before their handshake, by the address of the client: node names only the failed TLS end, which cannot be written to. */
  const handshaking = new Map<string, Socket>()
  server.on("connection", (socket: Socket) => {
    const address = addressOf(socket)
    handshaking.set(address, socket)
    // A socket that is closed has no address any more.
    socket.once("close", () => handshaking.delete(address))
  })
  server.on("secureConnection", (socket: TLSSocket) => handshaking.delete(addressOf(socket)))
  server.on("tlsClientError", (error: NodeJS.ErrnoException, failed: TLSSocket) => {
    const address = addressOf(failed)
    const socket = handshaking.get(address)
    handshaking.delete(address)
    if (error.code === "ERR_SSL_HTTP_REQUEST" && socket !== undefined)
      endWithError(socket, badRequest("the request is HTTP, this port speaks HTTPS"))
  })
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
