/** A kind of a definition whose record is no longer the one in the table, while requests still have the old one. */
import { ApiError } from "../base/errors.ts"
import { conflictAttemptsMax } from "../base/limits.ts"

/**
 * Thrown by `Registry.handle` and by commits for a kind that a newer record has replaced, or whose definition is gone.
 * The caller that has the input looks the kind up again and repeats the operation (`repeatedOnRelease`). A client that
 * gets this error may try again.
 */
export class ReleasedKindError extends ApiError {
  constructor({ group, resource }: { readonly group: string; readonly resource: string }) {
    const name = `${resource}.${group}`
    super(503, "ServiceUnavailable", `the definition of ${name} has changed while the request was carried out; try again`, {
      retryAfterSeconds: 1,
    })
    this.name = "ReleasedKindError"
  }
}

/**
 * Runs an operation that looks its kind up and decodes its input, again while the kind is replaced under it. Nothing
 * was written by an attempt that failed so. `attempt` must have no other effects that a second call would repeat.
 */
export async function repeatedOnRelease<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ReleasedKindError) || attempts >= conflictAttemptsMax) throw error
    }
  }
}

/** The same for a request, which keeps no warnings of an attempt that failed so. */
export function repeatedFor<Result>(request: { readonly warnings: string[] }, attempt: () => Promise<Result>): Promise<Result> {
  const before = request.warnings.length
  return repeatedOnRelease(() => {
    request.warnings.length = before
    return attempt()
  })
}
