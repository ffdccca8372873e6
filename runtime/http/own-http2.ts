/** Opens connections of `http2/` with the limits of this server. */
import { systemClock } from "../base/clock.ts"
import { requestCostBytes, requestHeaderBytesMax, requestHeaderFieldsMax, writeProgressBytes } from "../base/limits.ts"
import { type ConnectionOptions, Http2Connection } from "../http2/connection.ts"
import type { Http2Options } from "./http2-session.ts"
import { timeLimits } from "./time-limits.ts"

/** As `Http2Options`, but with the request classes of `http2/`. */
export type OwnHttp2Options = Omit<Http2Options, "onRequest"> & Pick<ConnectionOptions, "onRequest">

/** Called once per connection, after the TLS handshake and before any byte is read. */
export function openOwnHttp2({ socket, streamsMax, kept, times = timeLimits, onRequest }: OwnHttp2Options): Http2Connection {
  return new Http2Connection({
    socket,
    accounts: kept,
    // Real time, whatever clock the server has: the client has no other.
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
