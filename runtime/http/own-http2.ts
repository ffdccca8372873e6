/** The HTTP/2 of `http2/` with the limits of this server. */
import { systemClock } from "../clock.ts"
import { requestCostBytes, requestHeaderBytesMax, requestHeaderFieldsMax, writeProgressBytes } from "../limits.ts"
import { type ConnectionOptions, Http2Connection } from "../http2/connection.ts"
import type { KeptBytes } from "./kept-bytes.ts"
import { type TimeLimits, timeLimits } from "./time-limits.ts"

export interface OwnHttp2Options extends Pick<ConnectionOptions, "socket" | "onRequest"> {
  readonly streamsMax: number
  readonly kept: KeptBytes
  /** Default `timeLimits`. */
  readonly times?: TimeLimits
}

/** Called once per connection, from the first byte behind the handshake of TLS. */
export function openOwnHttp2({ socket, streamsMax, kept, times = timeLimits, onRequest }: OwnHttp2Options): Http2Connection {
  return new Http2Connection({
    socket,
    accounts: kept,
    // Real time, whatever clock the server is given: the other end has no other.
    clock: systemClock,
    limits: {
      streamsMax,
      headerBytesMax: requestHeaderBytesMax,
      headerFieldsMax: requestHeaderFieldsMax,
      requestCostBytes,
      progressBytes: writeProgressBytes,
    },
    times,
    onRequest,
  })
}
