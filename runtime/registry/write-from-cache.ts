/**
 * The first attempt of a conditional write, based on the cache. If the store needs a round trip for its newest
 * revision, the write skips that: its commit compares revisions anyway, and success proves that the cache was current.
 */
import type { OpenAttributes } from "../admission/plugin.ts"
import { ApiError } from "../base/errors.ts"
import type { CommitOutcome, WriteResult } from "./commit.ts"
import type { Registry } from "./registry.ts"

/** From this code on the server has failed, and the write may have happened. */
const serverFault = 500

/**
 * Called before the attempts that first bring the cache up to date. Returns undefined if nothing was written: the cache
 * may be stale, so a refusal or a no-op proves nothing, and neither would a dry run. Throws if the store failed.
 */
export async function tryWriteFromCache(
  registry: Registry,
  attributes: OpenAttributes,
  attempt: (attributes: OpenAttributes) => Promise<CommitOutcome | undefined>,
): Promise<WriteResult | undefined> {
  if (registry.deps.store.revisionNeedsRoundTrip !== true || attributes.dryRun) return undefined
  const warnings: string[] = []
  try {
    const outcome = await attempt({ ...attributes, warn: (text) => warnings.push(text) })
    if (outcome?.ok !== true || !isWritten(outcome.result)) return undefined
    for (const text of warnings) attributes.warn(text)
    return outcome.result
  } catch (error) {
    if (error instanceof ApiError && error.code < serverFault) return undefined
    throw error
  }
}

/** Whether the write was committed. A no-op proves nothing about the cache. */
function isWritten({ json, removed }: WriteResult): boolean {
  return removed || json !== undefined
}
