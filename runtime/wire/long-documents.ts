/** Long documents are worked on in turns and one at a time: twenty that came together cost the others no more per turn than one does. */
import { ApiError, badRequest } from "../errors.ts"
import { parseJson, type ParsedJson, type ParseOptions, parsingJson } from "../kit/json-text.ts"
import { documentValuesMax } from "../limits.ts"
import { atOnce, nextTurn, type Stages, takesTurns } from "../turns.ts"
import type { Expiry } from "./expiry.ts"

/** Lets one in at a time, in the order in which they came. */
export class Gate {
  private isTaken = false
  private readonly waiting: (() => void)[] = []

  /** Whether somebody is in. */
  get taken(): boolean {
    return this.isTaken
  }

  /** Resolves when it is the caller's turn, who then calls `leave`. Rejects when the request ends before. */
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

/** The fault of a request that ended while its document was worked on. */
export function tooLate(signal: Expiry | undefined): ApiError {
  return signal?.reason instanceof ApiError ? signal.reason : badRequest("the request ended before its body was decoded")
}

const gate = new Gate()

/** Called with the work on a long document. Stops where the request ends: throws what ended it. */
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

/** Called with the work on documents of so many bytes together. A promise only where they are long. */
export function workOn<Result>(bytes: number, work: Stages<Result>, signal?: Expiry): Result | Promise<Result> {
  return takesTurns(bytes) ? oneAtATime(work, signal) : atOnce(work)
}

const bodyJson: ParseOptions = { maxValues: documentValuesMax, trackDuplicates: true }

/** The JSON of a body of so many bytes, with the fields that it repeats. As `workOn`, but a short one costs no stages. Throws JsonSyntaxError, ApiError 413. */
export function readJson(bytes: number, text: string, signal?: Expiry): ParsedJson | Promise<ParsedJson> {
  return takesTurns(bytes) ? oneAtATime(parsingJson(text, bodyJson), signal) : parseJson(text, bodyJson)
}
