/** The times after which a connection is ended, or part of it is, because its client does not go on. */
import {
  clientKeepAliveMs,
  connectionCheckMs,
  http2CheckIntervalMs,
  idleConnectionTimeoutMs,
  lingerMs,
  requestHeaderTimeoutMs,
  socketStallTimeoutMs,
  writeStallTimeoutMs,
} from "../base/limits.ts"

/** In milliseconds, each by the name of its limit. */
export const timeLimits = {
  clientKeepAliveMs,
  connectionCheckMs,
  http2CheckIntervalMs,
  idleConnectionTimeoutMs,
  lingerMs,
  requestHeaderTimeoutMs,
  socketStallTimeoutMs,
  writeStallTimeoutMs,
}

/** The same, where a test has shorter ones. */
export type TimeLimits = Readonly<typeof timeLimits>
