/**
 * Processes long documents in turns and one at a time, so that twenty concurrent ones delay other requests no more per
 * turn than one does.
 */
import { ApiError, badRequest } from "../base/errors.ts"
import { parseJson, type ParsedJson, type ParseOptions, parsingJson } from "../encoding/json/text.ts"
import { documentValuesMax } from "../base/limits.ts"
import { atOnce, nextTurn, type Stages, takesTurns } from "../base/turns.ts"
import type { DeadlineSignal } from "./expiry.ts"

/** A mutex, first come first served. */
export class Mutex {
  private isTaken = false
  private readonly waiting: (() => void)[] = []

  /** Whether it is taken. */
  get taken(): boolean {
    return this.isTaken
  }

  /** Resolves when the caller holds the gate; it must then call `leave`. Rejects when the request ends first. */
  enter(signal?: DeadlineSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(requestEnded(signal))
      const onAbort = (): void => {
        this.waiting.splice(this.waiting.indexOf(go), 1)
        reject(requestEnded(signal))
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
export function requestEnded(signal: DeadlineSignal | undefined): ApiError {
  return signal?.reason instanceof ApiError ? signal.reason : badRequest("the request ended before its body was decoded")
}

const gate = new Mutex()

/** Runs the work on a long document. Stops when the request ends and throws its reason. */
export async function runExclusive<Result>(work: Stages<Result>, signal?: DeadlineSignal): Promise<Result> {
  await gate.enter(signal)
  try {
    for (;;) {
      const step = work.next()
      if (step.done === true) return step.value
      await nextTurn()
      if (signal?.aborted === true) throw requestEnded(signal)
    }
  } finally {
    gate.leave()
  }
}

/** Runs the work on documents of this many bytes in total. Returns a promise only when they are long. */
export function workOn<Result>(bytes: number, work: Stages<Result>, signal?: DeadlineSignal): Result | Promise<Result> {
  return takesTurns(bytes) ? runExclusive(work, signal) : atOnce(work)
}

const bodyJson: ParseOptions = { maxValues: documentValuesMax, trackDuplicates: true }

/**
 * Parses the JSON of a body of this many bytes and reports repeated fields. Like `workOn`, but a short one needs no
 * steps. Throws JsonSyntaxError, ApiError 413.
 */
export function readJson(bytes: number, text: string, signal?: DeadlineSignal): ParsedJson | Promise<ParsedJson> {
  return takesTurns(bytes) ? runExclusive(parsingJson(text, bodyJson), signal) : parseJson(text, bodyJson)
}
