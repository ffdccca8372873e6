/** The form of a signed token (RFC 7515 section 7.1), before anything of it is read. */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
const threeParts = /^[\w-]+\.[\w-]+\.[\w-]*$/

/**
 * Whether a text is three parts in base64url, each written in the one way of its bytes. Decoders also take padding, and
 * other last characters for the same bytes, so one token would have many texts. go-jose refuses padding as well. Called
 * with any text.
 */
export function isCompactToken(text: string): boolean {
  return threeParts.test(text) && text.split(".").every(isCanonical)
}

/** The bits of the last character that belong to no byte are zero. */
function isCanonical(part: string): boolean {
  const unused = [0, undefined, 0b1111, 0b11][part.length % 4]
  return unused !== undefined && (alphabet.indexOf(part.at(-1) ?? "") & unused) === 0
}
