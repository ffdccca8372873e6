/**
 * The first attempt of a conditional write, from what the cache holds. Where asking the store for its newest revision is a round trip, a write that
 * compares anyway need not ask: when it goes through, the cache was current.
 */
import { ApiError } from "../base/errors.ts"
import type { CommitOutcome, WriteResult } from "./commit.ts"
import type { Registry } from "./registry.ts"

/** From here on it is the server that failed, and what was begun may have happened. */
const serverFault = 500

/**
 * Called before the attempts of a write that first make sure of the cache. Undefined: nothing was written, and nothing is known: what was found
 * may be old, and with it a refusal or that there is nothing to change. `dryRun`: nothing would prove it. Throws what says that the store failed.
 */
export async function tryWriteFromCache(
  registry: Registry,
  request: { readonly attributes: { readonly dryRun: boolean }; readonly warn?: (text: string) => void },
  attempt: (warn: (text: string) => void) => Promise<CommitOutcome | undefined>,
): Promise<WriteResult | undefined> {
  if (registry.deps.store.revisionNeedsRoundTrip !== true || request.attributes.dryRun) return undefined
  const warnings: string[] = []
  try {
    const outcome = await attempt((text) => warnings.push(text))
    if (outcome?.ok !== true || !isWritten(outcome.result)) return undefined
    for (const text of warnings) request.warn?.(text)
    return outcome.result
  } catch (error) {
    if (error instanceof ApiError && error.code < serverFault) return undefined
    throw error
  }
}

/** An object that came out as it was has not been put to the test. */
function isWritten({ json, removed }: WriteResult): boolean {
  return removed || json !== undefined
}
