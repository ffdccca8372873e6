/** The times after which a connection is ended, or part of it is, because its client does not go on. */
import {
  connectionCheckMs,
  http2CheckIntervalMs,
  idleConnectionTimeoutMs,
  lingerMs,
  requestHeaderTimeoutMs,
  socketStallTimeoutMs,
  writeStallTimeoutMs,
} from "../limits.ts"

/** In milliseconds, each by the name of its limit. */
export interface TimeLimits {
  readonly connectionCheckMs: number
  readonly http2CheckIntervalMs: number
  readonly idleConnectionTimeoutMs: number
  readonly lingerMs: number
  readonly requestHeaderTimeoutMs: number
  readonly socketStallTimeoutMs: number
  readonly writeStallTimeoutMs: number
}

export const timeLimits: TimeLimits = {
  connectionCheckMs,
  http2CheckIntervalMs,
  idleConnectionTimeoutMs,
  lingerMs,
  requestHeaderTimeoutMs,
  socketStallTimeoutMs,
  writeStallTimeoutMs,
}
