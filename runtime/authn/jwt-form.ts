/** The form of a signed token (RFC 7515 section 7.1), and its unverified claims. */
import { isObject } from "../base/json.ts"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
const threeParts = /^[\w-]+\.[\w-]+\.[\w-]*$/

/**
 * Whether a text is three parts in canonical base64url. Decoders also accept padding, and other last characters for the
 * same bytes, so one token would have many texts. go-jose refuses padding as well. Called with any text.
 */
export function isCompactToken(text: string): boolean {
  return threeParts.test(text) && text.split(".").every(isCanonical)
}

/** Whether the unused bits of the last character are zero. */
function isCanonical(part: string): boolean {
  const unused = [0, undefined, 0b1111, 0b11][part.length % 4]
  return unused !== undefined && (alphabet.indexOf(part.at(-1) ?? "") & unused) === 0
}

/**
 * The `iss` of a token whose signature is not verified yet: it decides which issuer's keys verify it. Undefined for a
 * text that is not such a token, and without an `iss`. Called with any text.
 */
export function issuerOf(token: string): string | undefined {
  if (!isCompactToken(token)) return undefined
  const [, payload = ""] = token.split(".")
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))
    return isObject(claims) && typeof claims.iss === "string" ? claims.iss : undefined
  } catch {
    return undefined
  }
}
