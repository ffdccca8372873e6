/** Handles refusals that controllers expect. */
import { ApiError, type Reason } from "../base/errors.ts"

/** Whether a request was refused for one of these reasons. */
export function isRefusal(error: unknown, ...reasons: readonly Reason[]): boolean {
  return error instanceof ApiError && reasons.includes(error.reason)
}

/** Called around a read: undefined when the object does not exist. */
export async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isRefusal(error, "NotFound")) return undefined
    throw error
  }
}

/**
 * Called around a conditional write to the object that was read. Ignores that it is gone or was replaced by another one
 * of its name.
 */
export async function orGone(writing: Promise<unknown>): Promise<void> {
  try {
    await writing
  } catch (error) {
    if (!isRefusal(error, "NotFound", "Conflict")) throw error
  }
}

/**
 * Called around a creation in a namespace that may be terminating or gone; there is then nothing left to do. Rethrows
 * `AlreadyExists`, so that the caller reads the object again.
 */
export async function unlessNamespaceEnds<T>(creating: Promise<T>): Promise<T | undefined> {
  try {
    return await creating
  } catch (error) {
    if (isNamespaceEnding(error)) return undefined
    throw error
  }
}

function isNamespaceEnding(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const { code, details } = error
  if (code === 404) return details?.kind === "namespaces"
  return code === 403 && (details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating")
}
