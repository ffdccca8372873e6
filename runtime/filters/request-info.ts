import type { Step } from "../http/env.ts"

/**
 * Throws the error of a request whose path or query could not be parsed. `http/request/reader.ts` parsed both before
 * routing, but the refusal needs the fields of `responseHeaders`.
 */
export function requestInfo(): Step {
  return function requestInfo({ fault }) {
    if (fault !== undefined) throw fault
    return undefined
  }
}
