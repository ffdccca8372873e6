/** Values of literals: numbers and quoted texts. */
import { intMax, intMin, uintMax } from "../values/number.ts"
import type { Constant } from "./expr.ts"
import type { Token } from "./token.ts"

/** An int literal with its sign; undefined when it does not fit 64 bits. */
function parseInt64(text: string, negative: boolean): bigint | undefined {
  const value = negative ? -BigInt(text) : BigInt(text)
  return value < intMin || value > intMax ? undefined : value
}

/** A uint literal with its `u`. */
function parseUint64(text: string): bigint | undefined {
  const value = BigInt(text.slice(0, -1))
  return value > uintMax ? undefined : value
}

/** Undefined when the number is too large for a double. */
function parseDouble(text: string): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

const simple: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }
const escapes = /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([^]))/g

/** The text of a quoted literal, or the fault of an escape. */
function unquoteText(literal: string): { readonly text: string } | { readonly fault: string } {
  const { raw, body } = bodyOf(literal)
  if (raw || !body.includes("\\")) return { text: body }
  let fault: string | undefined
  const text = body.replace(escapes, (_, x?: string, X?: string, u?: string, U?: string, octal?: string, other = "") => {
    const digits = x ?? X ?? u ?? U
    const code = digits !== undefined ? Number.parseInt(digits, 16) : octal !== undefined ? Number.parseInt(octal, 8) : -1
    if (code < 0) return simple[other] ?? other
    if (code > 0x10ffff) fault = "unable to unescape string"
    // A half of a surrogate pair cannot be encoded.
    return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? "\ufffd" : String.fromCodePoint(code)
  })
  return fault === undefined ? { text } : { fault }
}

/** The bytes of a quoted literal without its `b`: characters in UTF-8, `\x` and octal escapes as single bytes. */
function unquoteBytes(literal: string): { readonly bytes: Uint8Array } | { readonly fault: string } {
  const { raw, body } = bodyOf(literal)
  if (raw || !body.includes("\\")) return { bytes: Buffer.from(body) }
  const parts: Buffer[] = []
  let end = 0
  for (const match of body.matchAll(escapes)) {
    const [all, x, X, u, U, octal, other = ""] = match
    if (u !== undefined || U !== undefined) return { fault: "unable to unescape string" }
    parts.push(Buffer.from(body.slice(end, match.index)))
    end = match.index + all.length
    const digits = x ?? X
    if (digits !== undefined) parts.push(Buffer.of(Number.parseInt(digits, 16)))
    else if (octal !== undefined) parts.push(Buffer.of(Number.parseInt(octal, 8)))
    else parts.push(Buffer.from(simple[other] ?? other))
  }
  parts.push(Buffer.from(body.slice(end)))
  return { bytes: Buffer.concat(parts) }
}

function bodyOf(literal: string): { readonly raw: boolean; readonly body: string } {
  const normal = literal.replace(/\r\n?/g, "\n")
  const raw = /^[rR]/.test(normal)
  const quoted = raw ? normal.slice(1) : normal
  const quotes = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1
  return { raw, body: quoted.slice(quotes, -quotes) }
}

/** The constant of a literal, or its fault. */
export function constantOf({ kind, text }: Token, negative: boolean): Constant | string {
  switch (kind) {
    case "NUM_INT": {
      const value = parseInt64(text, negative)
      return value === undefined ? "invalid int literal" : { type: "int", value }
    }
    case "NUM_UINT": {
      const value = parseUint64(text)
      return value === undefined ? "invalid uint literal" : { type: "uint", value }
    }
    case "NUM_FLOAT": {
      const value = parseDouble(negative ? `-${text}` : text)
      return value === undefined ? "invalid double literal" : { type: "double", value }
    }
    case "STRING": {
      const result = unquoteText(text)
      return "fault" in result ? result.fault : { type: "string", value: result.text }
    }
    case "BYTES": {
      const result = unquoteBytes(text.slice(1))
      return "fault" in result ? result.fault : { type: "bytes", value: result.bytes }
    }
    case "'true'":
      return { type: "bool", value: true }
    case "'false'":
      return { type: "bool", value: false }
    default:
      return { type: "null" }
  }
}
