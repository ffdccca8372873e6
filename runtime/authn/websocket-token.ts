/** The credential of a client that can name only protocols: a browser that opens a websocket. */
import type { IncomingHttpHeaders } from "node:http"
import { unauthorized } from "../base/errors.ts"

/**
 * Called for a request that asks for a websocket. Answers its headers with the token among its protocols as `Authorization`, unless there is one.
 * Throws 401 for a token that cannot be read, for several, and for one without a protocol beside it: the token's own is never chosen, and browsers
 * refuse an answer that chooses none of those they offered. All as in the reference.
 */
export function withProtocolToken(
  headers: IncomingHttpHeaders,
  offered: { readonly names: readonly string[]; readonly tokens: readonly string[] },
): IncomingHttpHeaders {
  const [encoded] = offered.tokens
  if (encoded === undefined || headers.authorization !== undefined) return headers
  const token = Buffer.from(encoded, "base64url").toString("utf8")
  const readable = /^[A-Za-z0-9_-]+$/.test(encoded) && /^[\x21-\x7e]+$/.test(token)
  if (!readable || offered.tokens.length > 1 || offered.names.length === 0) throw unauthorized()
  return { ...headers, authorization: `Bearer ${token}` }
}
