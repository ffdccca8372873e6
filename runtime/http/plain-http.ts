/** Answers plain HTTP on the HTTPS port with an explanation: the client probably mistyped an address. */
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { badRequest } from "../base/errors.ts"
import type { Http1Server } from "./http1-exchange.ts"
import { endWithError } from "./malformed-request.ts"

/** Called once per server. */
export function answerPlainHttp(server: Http1Server): void {
  /** Connections before their handshake, by client address: node reports only the TLS end, which cannot be written. */
  const handshaking = new Map<string, Socket>()
  server.on("connection", (socket: Socket) => {
    const address = addressOf(socket)
    handshaking.set(address, socket)
    // A closed socket has no address.
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
