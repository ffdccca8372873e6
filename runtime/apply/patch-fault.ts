/** The one answer for a patch that is well formed but does not fit the object: an operation, a directive, a merge key. */
import { ApiError } from "../errors.ts"
import { messageCharactersMax } from "../limits.ts"

/**
 * 422 Invalid, as the reference answers a JSON patch that cannot be applied. Where the reference answers 500 for a strategic
 * patch of this sort it blames itself for a fault of the client; here both are 422 and the message says which part was wrong.
 */
export function patchFault(message: string): ApiError {
  const text = message.length > messageCharactersMax ? `${message.slice(0, messageCharactersMax)}...` : message
  return new ApiError(422, "Invalid", text, {})
}
