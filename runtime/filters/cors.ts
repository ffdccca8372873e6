import { originCharactersMax } from "../base/limits.ts"
import { answered, type Step } from "../http/env.ts"

/** The header fields that kube-apiserver sends to an allowed origin. */
const allowance = {
  "access-control-allow-methods": "POST, GET, OPTIONS, PUT, DELETE, PATCH",
  "access-control-allow-headers":
    "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",
  "access-control-expose-headers": "Date",
  "access-control-allow-credentials": "true",
}

/**
 * Lets pages of the origins in `--cors-allowed-origins` read answers. Runs before authentication, because browsers send
 * the preflight `OPTIONS` without a credential; it is answered with 204 here. Requests of other origins are served
 * without these fields, and their browsers withhold the answer from the page.
 */
export function cors(options: { allowedOrigins: readonly RegExp[] }): Step {
  return function cors({ incoming, outgoing }) {
    const { origin } = incoming.headers
    if (origin === undefined || origin.length > originCharactersMax || !options.allowedOrigins.some((pattern) => pattern.test(origin)))
      return undefined
    outgoing.setHeader("access-control-allow-origin", origin)
    for (const [name, value] of Object.entries(allowance)) outgoing.setHeader(name, value)
    if (incoming.method !== "OPTIONS") return undefined
    outgoing.writeHead(204)
    outgoing.end()
    return answered
  }
}
