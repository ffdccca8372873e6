/** Measures the parts of a request's time, for the audit of slow requests. */
import type { Clock } from "./clock.ts"

/** The parts of a request's time, by the names of their audit annotations and in the order of the annotations. */
export const traceParts = [
  "decode-response-object",
  "etcd",
  "response-write",
  "serialize-response-object",
  "transform-response-object",
] as const

export type TracePart = (typeof traceParts)[number]

/** The trace of an operation. Each part may happen several times, also at once, and is the sum of all of them. */
export interface Trace {
  /** False: nothing is measured, and callers can skip their own measurements. */
  readonly measures: boolean
  /** The beginning of a part that ends with `add`. */
  elapsedMs(): number
  /** Adds the time since `sinceMs`. */
  add(part: TracePart, sinceMs: number): void
  /** Waits, and adds the time to `part`, whatever the outcome. */
  during<Result>(part: TracePart, wait: Promise<Result>): Promise<Result>
  /** Called when the answer begins to be made; again if the time since then does not count. */
  answering(): void
  /** Called once the answer has the form that the client asked for, such as a Table, before it is encoded. */
  transformed(): void
  /** Called when the bytes of the answer are ready. Without the call, the bytes were there before. */
  serialized(): void
  /** Called when the answer was written, if time that does not count follows. */
  written(): void
}

const nothing = (): void => {}

/** The trace of requests that are not measured. `during` returns the promise itself. */
export const untraced: Trace = {
  measures: false,
  elapsedMs: () => 0,
  add: nothing,
  during: (_part, wait) => wait,
  answering: nothing,
  transformed: nothing,
  serialized: nothing,
  written: nothing,
}

/**
 * Created once per recorded request. Which requests are slow is not known beforehand, so all of them are measured, as
 * cheaply as can be: a get that the cache answers reads the clock once more.
 */
export class TimedTrace implements Trace {
  readonly measures = true
  private sums: Partial<Record<TracePart, number>> | undefined
  /** When the answer began to be made; undefined before that, and once it was written. */
  private answerMs: number | undefined
  /** When its bytes were ready; undefined for bytes that were there already. */
  private readyMs: number | undefined

  constructor(private readonly clock: Pick<Clock, "elapsedMs">) {}

  elapsedMs(): number {
    return this.clock.elapsedMs()
  }

  add(part: TracePart, sinceMs: number): void {
    this.sum(part, this.clock.elapsedMs() - sinceMs)
  }

  async during<Result>(part: TracePart, wait: Promise<Result>): Promise<Result> {
    const sinceMs = this.clock.elapsedMs()
    try {
      return await wait
    } finally {
      this.add(part, sinceMs)
    }
  }

  answering(): void {
    this.answerMs = this.clock.elapsedMs()
    this.readyMs = undefined
  }

  transformed(): void {
    if (this.answerMs === undefined) return
    const nowMs = this.clock.elapsedMs()
    this.sum("transform-response-object", nowMs - this.answerMs)
    this.answerMs = nowMs
  }

  serialized(): void {
    this.readyMs = this.clock.elapsedMs()
  }

  /** Without the call, `until` takes its moment for it. */
  written(nowMs: number = this.clock.elapsedMs()): void {
    const { answerMs, readyMs, sums } = this
    if (answerMs === undefined) return
    this.answerMs = undefined
    this.sum("serialize-response-object", nowMs - answerMs)
    // A stream has added each of its writes.
    if (sums?.["response-write"] === undefined) this.sum("response-write", nowMs - (readyMs ?? answerMs))
  }

  /** Called at the end of a slow request: milliseconds of each part that took any. */
  until(nowMs: number): readonly (readonly [TracePart, number])[] {
    this.written(nowMs)
    const { sums = {} } = this
    return traceParts.flatMap((part) => ((sums[part] ?? 0) > 0 ? [[part, sums[part] ?? 0] as const] : []))
  }

  private sum(part: TracePart, tookMs: number): void {
    this.sums ??= {}
    this.sums[part] = (this.sums[part] ?? 0) + tookMs
  }
}
