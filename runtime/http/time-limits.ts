/** The time limits after which a connection, or part of it, ends because its client makes no progress. */
import {
  clientKeepAliveMs,
  connectionCheckMs,
  http2CheckIntervalMs,
  idleConnectionTimeoutMs,
  lingerMs,
  requestHeaderTimeoutMs,
  socketStallTimeoutMs,
  tlsHandshakeTimeoutMs,
  writeStallTimeoutMs,
} from "../base/limits.ts"
import { stopCheckMs, stopStallMs } from "../base/stop-limits.ts"

/** In milliseconds; each has the name of its limit. */
export const timeLimits = {
  clientKeepAliveMs,
  connectionCheckMs,
  http2CheckIntervalMs,
  idleConnectionTimeoutMs,
  lingerMs,
  requestHeaderTimeoutMs,
  socketStallTimeoutMs,
  stopCheckMs,
  stopStallMs,
  tlsHandshakeTimeoutMs,
  writeStallTimeoutMs,
}

/** As `timeLimits`; tests use shorter times. */
export type TimeLimits = Readonly<typeof timeLimits>
