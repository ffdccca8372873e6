/** Repeats the attempts of a conditional write until one succeeds, in turns with the other writers of the object. */
import type { OpenAttributes } from "../admission/plugin.ts"
import { ApiError } from "../base/errors.ts"
import { contendedWriteMsMax } from "../base/write-limits.ts"
import { nextTurn } from "../base/turns.ts"
import type { WriteResult } from "./commit.ts"
import type { Registry } from "./registry.ts"

export interface ContendedWrite {
  readonly key: string
  readonly attributes: OpenAttributes
  /** Whether the first attempt is made without a turn. */
  readonly triesAtOnce: boolean
  /** The answer to a writer without a deadline that others have outrun for `contendedWriteMsMax`. */
  readonly outrun: () => ApiError
}

/**
 * `attempt` returns undefined when another write came first, and once the cache shows it. Throws its errors, the 504 of
 * the request's deadline, or 429 when too many writes wait.
 */
export async function writeInTurn(
  { deps: { clock }, writes }: Registry,
  write: ContendedWrite,
  attempt: () => Promise<WriteResult | undefined>,
): Promise<WriteResult> {
  const { attributes, key } = write
  if (write.triesAtOnce) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  const endMs = clock.elapsedMs() + contendedWriteMsMax
  const leave = await writes.enter(key, { bytes: attributes.pace.bytes, expiry: attributes.expiry })
  try {
    while (!isOver(attributes)) {
      const result = await attempt()
      if (result !== undefined) return result
      if (clock.elapsedMs() >= endMs) throw write.outrun()
      // A store that answers at once would leave no turn of the event loop to timers, and so to the deadline.
      await nextTurn()
    }
    throw new ApiError(504, "Timeout", "Timeout: the client has gone while its write waited for others", {})
  } finally {
    leave()
  }
}

/** Whether no client waits for the answer. Throws the reason of the deadline. */
function isOver({ expiry, caller }: OpenAttributes): boolean {
  if (expiry?.aborted === true) throw expiry.reason
  return caller?.aborted === true
}
