/** A connection of HTTP/2 as `Connections` sees it, with either implementation. */
import type { Socket } from "node:net"
import type { ConnectionAccount, OpenExchange } from "../http2/surroundings.ts"
import type { Connection } from "./keepalive.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import type { KeptBytes } from "./kept-bytes.ts"
import type { TimeLimits } from "./time-limits.ts"

export interface Http2Options {
  /** After its TLS handshake, with no byte read yet. */
  readonly socket: Socket
  /** The most streams that the client may have open. */
  readonly streamsMax: number
  /** Where the connection opens its account. */
  readonly kept: KeptBytes
  /** Default `timeLimits`. */
  readonly times?: TimeLimits
  /** Called for each request once its head has arrived. `isTooLarge`: the head is incomplete; refuse the request. */
  readonly onRequest: (incoming: Incoming, outgoing: Outgoing, isTooLarge: boolean) => void
}

/** A connection of HTTP/2. */
export interface Http2Session extends Connection {
  readonly socket: Socket
  readonly account: ConnectionAccount
  /** Sends GOAWAY: the client opens no more streams, and the connection ends after the open ones. */
  close(): void
  /** Requests in flight. */
  openExchanges(): readonly OpenExchange[]
  /** Cuts the connection and everything open on it. */
  destroy(): void
  /**
   * Called every `connectionCheckMs`. Ends the connection, or streams of it, when the client does not make progress.
   */
  check(nowMs: number): void
}

export interface Http2Implementation {
  /** Called once per connection. */
  open(options: Http2Options): Http2Session
  /**
   * True if the session reads `data` events of the socket and charges the account at once. Otherwise the socket cannot
   * be read in turns (`StrangerTurns`), and its account must be measured often until a request has authenticated.
   */
  readonly readsEvents: boolean
}
