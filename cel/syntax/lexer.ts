import { type Token, type TokenKind, tokenKinds } from "./token.ts"

/** Reports text that is not a token: from `start`, with the character that ended the attempt. */
export type UnknownText = (start: number, text: string) => void

const blank = /[ \t\r\n\f]+|\/\/[^\n]*/y
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y
const hexadecimal = /0x[0-9a-fA-F]+([uU])?/y
const float = /[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?/y
const decimal = /[0-9]+([uU])?/y
const symbol = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y
const escape = "\\\\(?:[abfnrtv\"'\\\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
/** Longest first: three quotes win over an empty text. */
const texts = [
  new RegExp(`"""(?:${escape}|[^\\\\])*?"""`, "y"),
  new RegExp(`'''(?:${escape}|[^\\\\])*?'''`, "y"),
  new RegExp(`"(?:${escape}|[^\\\\"\n\r])*"`, "y"),
  new RegExp(`'(?:${escape}|[^\\\\'\n\r])*'`, "y"),
]
const rawTexts = [/[rR]"""[^]*?"""/y, /[rR]'''[^]*?'''/y, /[rR]"[^"\n\r]*"/y, /[rR]'[^'\n\r]*'/y]
/** How far an unclosed text reaches: the character after it is the one that failed. */
const openTexts = [new RegExp(`"(?:${escape}|[^\\\\"\n\r])*`, "y"), new RegExp(`'(?:${escape}|[^\\\\'\n\r])*`, "y")]
const escapeStart = /\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?/y

/**
 * Splits a source into tokens; the last is the end of the input. Text that is not a token is reported and left out.
 * `operators`: symbols that libraries declare.
 */
export function tokenize(source: string, unknown: UnknownText, operators: readonly string[] = []): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    const skipped = matchAt(blank, source, at)
    if (skipped !== undefined) {
      at += skipped.length
      continue
    }
    const declared = operators.find((operator) => source.startsWith(operator, at))
    const token = declared === undefined ? tokenAt(source, at) : ({ kind: "OPERATOR", text: declared, start: at } as const)
    if (token === undefined) {
      const text = failedText(source, at)
      unknown(at, text)
      at += text.length
    } else {
      tokens.push(token)
      at += token.text.length
    }
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", start: source.length })
  return tokens
}

function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0]
}

function tokenAt(source: string, start: number): Token | undefined {
  const first = source[start] ?? ""
  const text = textAt(source, start)
  if (text !== undefined) return { kind: "STRING", text, start }
  if (first === "b" || first === "B") {
    const bytes = textAt(source, start + 1)
    if (bytes !== undefined) return { kind: "BYTES", text: first + bytes, start }
  }
  const name = matchAt(identifier, source, start)
  if (name !== undefined) return { kind: symbols.get(name) ?? "IDENTIFIER", text: name, start }
  return numberAt(source, start) ?? symbolAt(source, start)
}

/** A quoted text, with or without the mark of a raw text. */
function textAt(source: string, start: number): string | undefined {
  const first = source[start]
  const patterns = first === "r" || first === "R" ? rawTexts : texts
  for (const pattern of patterns) {
    const text = matchAt(pattern, source, start)
    if (text !== undefined) return text
  }
  return undefined
}

function numberAt(source: string, start: number): Token | undefined {
  hexadecimal.lastIndex = start
  const hex = hexadecimal.exec(source)
  if (hex !== null) return { kind: hex[1] === undefined ? "NUM_INT" : "NUM_UINT", text: hex[0], start }
  const real = matchAt(float, source, start)
  if (real !== undefined) return { kind: "NUM_FLOAT", text: real, start }
  decimal.lastIndex = start
  const whole = decimal.exec(source)
  return whole === null ? undefined : { kind: whole[1] === undefined ? "NUM_INT" : "NUM_UINT", text: whole[0], start }
}

/** Tokens of fixed text have that text, in quotes, as their kind. */
const symbols: ReadonlyMap<string, TokenKind> = new Map(
  tokenKinds.filter((kind) => kind.startsWith("'")).map((kind) => [kind.slice(1, -1), kind]),
)

function symbolAt(source: string, start: number): Token | undefined {
  const text = matchAt(symbol, source, start)
  const kind = text === undefined ? undefined : symbols.get(text)
  return text === undefined || kind === undefined ? undefined : { kind, text, start }
}

/** The text that was tried as a token, with the character at which it failed. */
function failedText(source: string, start: number): string {
  for (const pattern of openTexts) {
    const open = matchAt(pattern, source, start)
    if (open === undefined) continue
    const escaped = matchAt(escapeStart, source, start + open.length) ?? ""
    const end = start + open.length + escaped.length
    return source.slice(start, end) + characterAt(source, end)
  }
  const first = characterAt(source, start)
  // The beginning of `&&`, `||` or `==`: the next character failed.
  return /[&|=]/.test(first) ? first + characterAt(source, start + 1) : first
}

function characterAt(source: string, at: number): string {
  const code = source.codePointAt(at)
  return code === undefined ? "" : String.fromCodePoint(code)
}
