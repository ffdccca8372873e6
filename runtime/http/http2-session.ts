/** A connection of HTTP/2 as `Connections` sees it, whichever implementation speaks on it. */
import type { Socket } from "node:net"
import type { ConnectionAccount } from "../http2/surroundings.ts"
import type { Connection } from "./keepalive.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import type { KeptBytes } from "./kept-bytes.ts"
import type { TimeLimits } from "./time-limits.ts"

export interface Http2Options {
  /** Behind the handshake of TLS, before its first byte was read. */
  readonly socket: Socket
  /** Streams that the client may have open at a time. */
  readonly streamsMax: number
  /** Where the connection opens its account. */
  readonly kept: KeptBytes
  /** Default `timeLimits`. */
  readonly times?: TimeLimits
  /** Called for each request, whose head has come. `isTooLarge`: only a part of the head is here; the request is to be refused. */
  readonly onRequest: (incoming: Incoming, outgoing: Outgoing, isTooLarge: boolean) => void
}

/** A connection of HTTP/2. */
export interface Http2Session extends Connection {
  readonly socket: Socket
  readonly account: ConnectionAccount
  /** Sends GOAWAY: the client opens no more streams, and the connection ends once the open ones are over. */
  close(): void
  /** Cuts the connection, and all that is open on it. */
  destroy(): void
  /** Called every `connectionCheckMs`: ends the connection, or streams of it, when the client does not go on with what it has begun. */
  check(nowMs: number): void
}

export interface Http2Implementation {
  /** Called once per connection. */
  open(options: Http2Options): Http2Session
  /**
   * It reads `data` events of the socket and charges the account with them at once. Else the socket cannot be read in turns (`StrangerTurns`), and the
   * account has to be measured often as long as no request has authenticated.
   */
  readonly readsEvents: boolean
}
