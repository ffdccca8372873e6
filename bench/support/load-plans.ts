/** What a load process is told to do, and what it tells when it is done: plain data, so that both travel between processes. */
import type { Target } from "./server-process.ts"

/**
 * Requests that differ by a number. In `path` and `body`, `{index}` stands for the number with six digits, `{bucket}` for its remainder by
 * `buckets`, `{now}` for the machine's steady clock in microseconds when the request is sent.
 */
export interface RequestPlan {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly contentType?: string
  readonly accept?: string
  readonly acceptEncoding?: string
  /** Statuses that are a success. 200 and 201 when absent. */
  readonly expected?: readonly number[]
  /** Requests under way at a time. */
  readonly clients: number
  /** Connections that the clients share. One when absent, as Go's client has. */
  readonly connections?: number
  /** Ends after so many requests, or after so many seconds, whatever is first. */
  readonly count?: number
  readonly seconds?: number
  /** Requests are due at a steady rate, and latency counts from when they were due; otherwise as fast as they are answered. */
  readonly perSecond?: number
  /** The number of the n-th request is `(first + n) * stride % modulo`. 0, 1 and no remainder when absent. */
  readonly first?: number
  readonly stride?: number
  readonly modulo?: number
  readonly buckets?: number
  /** Each client follows the continue tokens of its answers, from the beginning again after the last page. */
  readonly pages?: boolean
  /** Tell the versions of the objects that were written, bucket by bucket. */
  readonly keepsVersions?: boolean
}

export interface RequestFigures {
  readonly count: number
  readonly failed: number
  /** The first failure in words. */
  readonly failure?: string
  readonly seconds: number
  readonly bytes: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Ascending, of each bucket. Empty unless asked for. */
  readonly versions: readonly (readonly number[])[]
}

/** Watches that stay open. `{bucket}` in `path` stands for the watcher's number by `buckets`. */
export interface WatchPlan {
  readonly path: string
  readonly watchers: number
  readonly connections: number
  readonly buckets?: number
  /** Each watch is asked for so many seconds, or up to twice as many, as informers do; then it is taken up. Until the server ends it when absent. */
  readonly watchSeconds?: number
}

/** Of all watchers of one process together. */
export interface WatchFigures {
  readonly events: number
  readonly bytes: number
  /** From sending the write, by the `stamp` in the object's data, to the event at the watcher. */
  readonly lagP50Ms: number
  readonly lagP99Ms: number
  readonly lagMaxMs: number
  /** Watches that the server ended and that were taken up again where they had ended. */
  readonly resumed: number
  /** Watchers that have been told that their initial events are complete. */
  readonly initialised: number
  /** What each watcher has seen: how many versions, the last, and a sum over all in their order. */
  readonly histories: readonly History[]
  /** Broken promises in words, the first few. */
  readonly faults: readonly string[]
}

export interface History {
  readonly bucket: number
  readonly count: number
  readonly last: number
  readonly sum: number
}

/** The sum over a history with one more version. It depends on the order: a version that is missing, doubled or misplaced shows. */
export function nextSum(sum: number, version: number): number {
  return (Math.imul(sum, 31) + version) >>> 0
}

export type Call =
  | { readonly call: "requests"; readonly plan: RequestPlan }
  | { readonly call: "watch"; readonly plan: WatchPlan }
  | { readonly call: "watchFigures" }
  | { readonly call: "endWatches" }

/** From the bench to its load process. */
export interface CallMessage {
  readonly id: number
  readonly target: Target
  readonly call: Call
}

/** And back: one for each call. */
export interface ResultMessage {
  readonly id: number
  readonly requests?: RequestFigures
  readonly watches?: WatchFigures
  readonly failure?: string
}

/** Microseconds of the clock that all processes of a machine share and nobody sets. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
