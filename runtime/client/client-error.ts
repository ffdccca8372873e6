import { ApiError } from "../base/errors.ts"
import type { Vendor } from "../base/vendor.ts"
import { apiErrorOf } from "../verbs/failure.ts"
import { withAuthorPositions } from "../launch/author-positions.ts"
import { wireError } from "../wire/status.ts"

/**
 * Returns the error that a program gets for an operation's exception: an ApiError with the content of the Status that
 * an HTTP client gets, and with the stack of the caller. Any other exception, a fault of the server, a plugin or the
 * code of a kind, stays as it is, with the author's files in its stack.
 */
export function clientError(error: unknown, vendor: Vendor): unknown {
  const known = apiErrorOf(error)
  if (known === undefined) return withAuthorLines(error)
  const { code, reason, message, details, continueToken } = wireError(known, vendor)
  const shown = new ApiError(code, reason, message, details, continueToken)
  Error.captureStackTrace(shown, clientError)
  if (known.cause !== undefined) shown.cause = known.cause
  return shown
}

function withAuthorLines(error: unknown): unknown {
  if (error instanceof Error && error.stack !== undefined) error.stack = withAuthorPositions(error.stack)
  return error
}
