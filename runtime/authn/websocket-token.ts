/**
 * Credentials in the websocket protocols of a request: a browser that opens a websocket cannot set other header fields.
 */
import type { IncomingHttpHeaders } from "node:http"
import { unauthorized } from "../base/errors.ts"

/**
 * Called for a request that asks for a websocket. Returns its headers, with the token among its protocols as
 * `Authorization` unless that field is present. Throws 401 for a token that cannot be decoded, for several tokens, and
 * for a token without another protocol: the server never selects the token's protocol, and a browser refuses an answer
 * that selects none of its protocols. As in kube-apiserver.
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
