import { isError, type Result, type Value } from "../index.ts"

/** Until values may be errors: what cannot be read is null. */
export function readable(result: Result): Value {
  return isError(result) ? null : result
}
