/** The error for a well-formed patch that does not fit the object: an operation, a directive, a merge key. */
import { ApiError } from "../base/errors.ts"
import { messageCharactersMax } from "../base/limits.ts"

/**
 * 422 Invalid, as the reference answers a JSON patch that cannot be applied. For such a strategic merge patch the
 * reference answers 500, blaming itself for an error of the client; here both are 422 and the message names the wrong
 * part.
 */
export function patchFault(message: string): ApiError {
  return new ApiError(422, "Invalid", shortened(message), {})
}

/**
 * The same for a JSON patch. Its message is exactly the reference's, because clients compare all of it to see that a
 * `test` operation failed. The cause says what is wrong; kubectl shows it in place of the message.
 */
export function jsonPatchFault(message: string): ApiError {
  const causes = [{ reason: "FieldValueInvalid", message: shortened(message), field: "patch" }]
  return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", { causes })
}

function shortened(message: string): string {
  return message.length > messageCharactersMax ? `${message.slice(0, messageCharactersMax)}...` : message
}
