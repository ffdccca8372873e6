/** The tasks of a load process and their results: plain data, so that both can be sent between processes. */
import type { Target } from "./server-process.ts"

/**
 * Requests that differ by a number. In `path` and `body`, `{index}` is replaced by the number with six digits,
 * `{bucket}` by its remainder modulo `buckets`, `{now}` by the machine's monotonic clock in microseconds when the
 * request is sent.
 */
export interface RequestPlan {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly contentType?: string
  readonly accept?: string
  readonly acceptEncoding?: string
  /** Statuses that count as success. 200 and 201 when absent. */
  readonly expected?: readonly number[]
  /** Number of requests in flight. */
  readonly clients: number
  /** Connections that the clients share. One when absent, as in Go's client. */
  readonly connections?: number
  /** Ends after this many requests, or after this many seconds, whichever is first. */
  readonly count?: number
  readonly seconds?: number
  /**
   * Requests are due at a steady rate, and latency counts from when they were due; when absent, each follows the answer
   * to the one before.
   */
  readonly perSecond?: number
  /** The number of the n-th request is `(first + n) * stride % modulo`. 0, 1 and no remainder when absent. */
  readonly first?: number
  readonly stride?: number
  readonly modulo?: number
  readonly buckets?: number
  /** Each client follows the continue tokens of its answers, and starts again after the last page. */
  readonly pages?: boolean
  /** Return the versions of the written objects by bucket. */
  readonly keepsVersions?: boolean
}

export interface RequestFigures {
  readonly count: number
  readonly failed: number
  /** Description of the first failure. */
  readonly failure?: string
  readonly seconds: number
  readonly bytes: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Ascending, for each bucket. Empty unless requested. */
  readonly versions: readonly (readonly number[])[]
}

/** Watches that stay open. `{bucket}` in `path` is replaced by the watcher's number modulo `buckets`. */
export interface WatchPlan {
  readonly path: string
  readonly watchers: number
  readonly connections: number
  readonly buckets?: number
  /**
   * Each watch requests a timeout between this many seconds and twice as many, as informers do, and is then resumed.
   * When absent, watches last until the server ends them.
   */
  readonly watchSeconds?: number
}

/** Sums over all watchers of one process. */
export interface WatchFigures {
  readonly events: number
  readonly bytes: number
  /** From sending the write, by the `stamp` in the object's data, to the event's arrival at the watcher. */
  readonly lagP50Ms: number
  readonly lagP99Ms: number
  readonly lagMaxMs: number
  /** Watches that the server ended and that were resumed from there. */
  readonly resumed: number
  /** Watchers that have received the end of their initial events. */
  readonly initialised: number
  /** The history of each watcher: the number of versions, the last one, and an order-dependent sum over all. */
  readonly histories: readonly History[]
  /** Descriptions of the first few violations. */
  readonly faults: readonly string[]
}

export interface History {
  readonly bucket: number
  readonly count: number
  readonly last: number
  readonly sum: number
}

/**
 * The sum over a history with one more version. It depends on the order, so that a missing, duplicated or misplaced
 * version changes it.
 */
export function nextSum(sum: number, version: number): number {
  return (Math.imul(sum, 31) + version) >>> 0
}

export type Call =
  | { readonly call: "requests"; readonly plan: RequestPlan }
  | { readonly call: "watch"; readonly plan: WatchPlan }
  | { readonly call: "watchFigures" }
  | { readonly call: "endWatches" }

/** Message from the benchmark to its load process. */
export interface CallMessage {
  readonly id: number
  readonly target: Target
  readonly call: Call
}

/** The reply; one for each call. */
export interface ResultMessage {
  readonly id: number
  readonly requests?: RequestFigures
  readonly watches?: WatchFigures
  readonly failure?: string
}

/** Microseconds of the monotonic clock that all processes of a machine share. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
