import { ApiError } from "../base/errors.ts"
import type { Vendor } from "../base/vendor.ts"
import { apiErrorOf } from "../verbs/failure.ts"
import { wireError } from "../wire/status.ts"

/**
 * The error that a program gets for what an operation threw: an ApiError with the content of the Status that an HTTP
 * client gets, and with the stack of the caller. Anything else, a fault of the server or of a plugin, stays as it is.
 */
export function clientError(error: unknown, vendor: Vendor): unknown {
  const known = apiErrorOf(error)
  if (known === undefined) return error
  const { code, reason, message, details, continueToken } = wireError(known, vendor)
  const shown = new ApiError(code, reason, message, details, continueToken)
  Error.captureStackTrace(shown, clientError)
  if (known.cause !== undefined) shown.cause = known.cause
  return shown
}
