/**
 * Processes long documents in turns and one at a time, so that twenty concurrent ones delay other requests no more per
 * turn than one does.
 */
import { ApiError, badRequest } from "../errors.ts"
import { parseJson, type ParsedJson, type ParseOptions, parsingJson } from "../kit/json-text.ts"
import { documentValuesMax } from "../limits.ts"
import { atOnce, nextTurn, type Stages, takesTurns } from "../turns.ts"
import type { Expiry } from "./expiry.ts"

/** A mutex, first come first served. */
export class Gate {
  private isTaken = false
  private readonly waiting: (() => void)[] = []

  /** Whether it is taken. */
  get taken(): boolean {
    return this.isTaken
  }

  /** Resolves when the caller holds the gate; it must then call `leave`. Rejects when the request ends first. */
  enter(signal?: Expiry): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(tooLate(signal))
      const onAbort = (): void => {
        this.waiting.splice(this.waiting.indexOf(go), 1)
        reject(tooLate(signal))
      }
      const go = (): void => {
        signal?.removeEventListener("abort", onAbort)
        resolve()
      }
      if (this.isTaken) {
        this.waiting.push(go)
        signal?.addEventListener("abort", onAbort)
        return
      }
      this.isTaken = true
      resolve()
    })
  }

  leave(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.isTaken = false
    else next()
  }
}

/** The error of a request that ended while its document was being processed. */
export function tooLate(signal: Expiry | undefined): ApiError {
  return signal?.reason instanceof ApiError ? signal.reason : badRequest("the request ended before its body was decoded")
}

const gate = new Gate()

/** Runs the work on a long document. Stops when the request ends and throws its reason. */
export async function oneAtATime<Result>(work: Stages<Result>, signal?: Expiry): Promise<Result> {
  await gate.enter(signal)
  try {
    for (;;) {
      const step = work.next()
      if (step.done === true) return step.value
      await nextTurn()
      if (signal?.aborted === true) throw tooLate(signal)
    }
  } finally {
    gate.leave()
  }
}

/** Runs the work on documents of this many bytes in total. Returns a promise only when they are long. */
export function workOn<Result>(bytes: number, work: Stages<Result>, signal?: Expiry): Result | Promise<Result> {
  return takesTurns(bytes) ? oneAtATime(work, signal) : atOnce(work)
}

const bodyJson: ParseOptions = { maxValues: documentValuesMax, trackDuplicates: true }

/**
 * Parses the JSON of a body of this many bytes and reports repeated fields. Like `workOn`, but a short one needs no
 * steps. Throws JsonSyntaxError, ApiError 413.
 */
export function readJson(bytes: number, text: string, signal?: Expiry): ParsedJson | Promise<ParsedJson> {
  return takesTurns(bytes) ? oneAtATime(parsingJson(text, bodyJson), signal) : parseJson(text, bodyJson)
}
