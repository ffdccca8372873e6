import { ApiError, internal } from "../base/errors.ts"
import { storeFailure } from "../registry/commit.ts"
import { UndecodableError } from "../storage/cache.ts"
import { StoreError } from "../storage/store.ts"
import { ignoreReadErrorParameter } from "./delete-options.ts"

const undecodableHelp = `DELETE of the object with ?${ignoreReadErrorParameter}=true removes it as it is`

/** The error that a client receives for an operation's exception. Undefined: the exception is a fault of the server. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof UndecodableError) return internal(`${error.message}; ${undecodableHelp}`)
  return error instanceof StoreError ? storeFailure(error) : undefined
}
