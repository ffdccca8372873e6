/**
 * Processes long documents in turns and one at a time, so that twenty concurrent ones delay other requests no more per
 * turn than one does.
 */
import { ApiError, badRequest } from "../base/errors.ts"
import { parseJson, type ParsedJson, type ParseOptions, parsingJson } from "../encoding/json/text.ts"
import { documentValuesMax } from "../base/limits.ts"
import { atOnce, nextTurn, type Stages, takesTurns } from "../base/turns.ts"
import type { DeadlineSignal } from "../base/deadline-signal.ts"
import { Semaphore } from "../base/semaphore.ts"

/** The error of a request that ended while its document was being processed. */
export function requestEnded(signal: DeadlineSignal | undefined): ApiError {
  return signal?.reason instanceof ApiError ? signal.reason : badRequest("the request ended before its body was decoded")
}

/** Lets one document at a time be worked on. */
const gate = new Semaphore(1)

/** Runs the work on a long document. Stops when the request ends and throws its reason. */
export async function runExclusive<Result>(work: Stages<Result>, signal?: DeadlineSignal): Promise<Result> {
  try {
    await gate.take(signal)
  } catch {
    throw requestEnded(signal)
  }
  try {
    for (;;) {
      const step = work.next()
      if (step.done === true) return step.value
      await nextTurn()
      if (signal?.aborted === true) throw requestEnded(signal)
    }
  } finally {
    gate.release()
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
