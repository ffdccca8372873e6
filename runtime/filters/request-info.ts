import type { Step } from "../http/env.ts"

/** Refuses a request whose path or query could not be read. Both were read before routing (`http/request/reader.ts`), but the refusal needs its headers. */
export function requestInfo(): Step {
  return function requestInfo({ request }) {
    if (request.fault !== undefined) throw request.fault
    return undefined
  }
}
