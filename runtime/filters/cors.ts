import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { originCharactersMax } from "../base/limits.ts"
import type { Step } from "../http/env.ts"

/** What the reference server says to an origin that it allows. */
const allowance = {
  "access-control-allow-methods": "POST, GET, OPTIONS, PUT, DELETE, PATCH",
  "access-control-allow-headers":
    "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",
  "access-control-expose-headers": "Date",
  "access-control-allow-credentials": "true",
}

/**
 * Lets pages of other origins read answers, `--cors-allowed-origins`. Before authentication: browsers send no credential with the `OPTIONS` that
 * asks whether they may, which is answered 204 here. Other origins are served as if there were no such option; their browsers refuse the answer.
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
    return RESPONSE_ALREADY_SENT
  }
}
