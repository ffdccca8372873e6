/**
 * Where the time of a request goes, for the audit of slow ones. Which requests are slow is not known beforehand, so all
 * recorded ones are measured, as cheaply as can be: a get that the cache answers reads the clock once more.
 */
import type { Clock } from "./clock.ts"

/** The parts of a request's time, by the names of their annotations and in the order of those. */
export const latencyParts = [
  "decode-response-object",
  "etcd",
  "response-write",
  "serialize-response-object",
  "transform-response-object",
] as const

export type LatencyPart = (typeof latencyParts)[number]

/** Created once per recorded request. Without audit there is none, and nothing is measured. */
export class RequestLatencies {
  private sums: Partial<Record<LatencyPart, number>> | undefined
  /** When the answer began to be made; undefined before that, and once it was written. */
  private answerMs: number | undefined
  /** When its bytes were ready; undefined for bytes that were there already. */
  private readyMs: number | undefined

  constructor(private readonly clock: Pick<Clock, "elapsedMs">) {}

  /** The beginning of a part that ends with `add`. */
  elapsedMs(): number {
    return this.clock.elapsedMs()
  }

  /** Adds the time since `sinceMs`. A part that happens several times, also at once, is the sum of all of them. */
  add(part: LatencyPart, sinceMs: number): void {
    this.sum(part, this.clock.elapsedMs() - sinceMs)
  }

  /** Called when the answer begins to be made; again if what came in between does not count. */
  answering(): void {
    this.answerMs = this.clock.elapsedMs()
    this.readyMs = undefined
  }

  /** Called once what is answered has the form that the client asked for, such as a Table, before it is encoded. */
  transformed(): void {
    if (this.answerMs === undefined) return
    const nowMs = this.clock.elapsedMs()
    this.sum("transform-response-object", nowMs - this.answerMs)
    this.answerMs = nowMs
  }

  /** Called when the bytes of the answer are ready. Without the call, they were there before. */
  serialized(): void {
    this.readyMs = this.clock.elapsedMs()
  }

  /** Called when the answer was written, if more follows that does not count; else `until` takes its moment for it. */
  written(nowMs: number = this.clock.elapsedMs()): void {
    const { answerMs, readyMs, sums } = this
    if (answerMs === undefined) return
    this.answerMs = undefined
    this.sum("serialize-response-object", nowMs - answerMs)
    // A stream has added each of its writes.
    if (sums?.["response-write"] === undefined) this.sum("response-write", nowMs - (readyMs ?? answerMs))
  }

  /** Called at the end of a slow request: milliseconds of each part that took any. */
  until(nowMs: number): readonly (readonly [LatencyPart, number])[] {
    this.written(nowMs)
    const { sums = {} } = this
    return latencyParts.flatMap((part) => ((sums[part] ?? 0) > 0 ? [[part, sums[part] ?? 0] as const] : []))
  }

  private sum(part: LatencyPart, tookMs: number): void {
    this.sums ??= {}
    this.sums[part] = (this.sums[part] ?? 0) + tookMs
  }
}

/** Waits, and adds the time to `part`, whatever comes of it. Undefined latencies: as `wait` itself. */
export function measured<Result>(latencies: RequestLatencies | undefined, part: LatencyPart, wait: Promise<Result>): Promise<Result> {
  return latencies === undefined ? wait : during(latencies, part, wait)
}

async function during<Result>(latencies: RequestLatencies, part: LatencyPart, wait: Promise<Result>): Promise<Result> {
  const sinceMs = latencies.elapsedMs()
  try {
    return await wait
  } finally {
    latencies.add(part, sinceMs)
  }
}
