/** The error for a well-formed patch that does not fit the object: an operation, a directive, a merge key. */
import { ApiError } from "../errors.ts"
import { messageCharactersMax } from "../limits.ts"

/**
 * 422 Invalid, as the reference answers a JSON patch that cannot be applied. For such a strategic merge patch the
 * reference answers 500, blaming itself for an error of the client; here both are 422 and the message names the wrong
 * part.
 */
export function patchFault(message: string): ApiError {
  const text = message.length > messageCharactersMax ? `${message.slice(0, messageCharactersMax)}...` : message
  return new ApiError(422, "Invalid", text, {})
}

/** The same of a JSON patch, of which the reference says no more than these words. */
export function jsonPatchFault(message: string): ApiError {
  return patchFault(`the server rejected our request due to an error in our request: ${message}`)
}
