/** Whose account a request is on. */
import { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { Http2Incoming } from "../http2/incoming.ts"
import type { Account } from "./kept-bytes.ts"

/** Those of connections of HTTP/1.1: node makes their requests. */
const accounts = new WeakMap<Socket, Account>()

/** Called once per connection of HTTP/1.1. */
export function setAccount(socket: Socket, account: Account): void {
  accounts.set(socket, account)
}

/** The account of the connection that a request came on; undefined where there is no connection, in a simulation. */
export function accountOf(request: object): Account | undefined {
  if (request instanceof Http2Incoming) return request.account
  return request instanceof IncomingMessage ? accounts.get(request.socket) : undefined
}
