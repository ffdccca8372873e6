/**
 * Splits an expression of the dialect into tokens. Offsets count UTF-16 units from the start of the expression; the
 * loader converts them to lines and columns of the file.
 */

export interface Token {
  readonly kind: "name" | "number" | "text" | "symbol" | "end"
  /** As written; of a string literal, its value. */
  readonly text: string
  readonly value?: number
  /** A number with a fraction or an exponent. */
  readonly double?: boolean
  readonly offset: number
}

/** What is wrong with an expression. `expected` says what would be valid. Never thrown past `parseExpression`. */
export interface ExpressionFault {
  readonly offset: number
  readonly found: string
  readonly expected: string
  readonly nearest?: string
}

/** Carries a fault up through the parser to `parseExpression`, which catches it. */
export class ExpressionError extends Error {
  constructor(readonly fault: ExpressionFault) {
    super(fault.expected)
  }
}

const symbols = [
  "&&",
  "||",
  "??",
  "==",
  "!=",
  "<=",
  ">=",
  "<",
  ">",
  "!",
  "-",
  "+",
  "*",
  "/",
  "%",
  "?",
  ":",
  ".",
  ",",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
] as const

/** What authors of other languages write, longest first, and what it is here. None of them begins a valid token. */
const slips: readonly (readonly [written: string, meant: string, expected?: string])[] = [
  ["===", "=="],
  ["!==", "!="],
  ["&&&", "&&"],
  ["|||", "||"],
  ["???", "??"],
  ["<>", "!="],
  ["=<", "<="],
  ["=>", ">=", "a comma between a variable and its condition, all(item, condition), or a comparison"],
  ["=~", "matches", 'text.matches("pattern")'],
  ["~=", "matches", 'text.matches("pattern")'],
  [":=", "=="],
  ["**", "*", "a product: there are no powers"],
  ["++", "+"],
  ["?.", ".", "a dot: selecting from absent gives absent, without an error"],
  ["??=", "??"],
  ["{{", "", "no braces: the whole text is the expression. {{...}} belongs in messages"],
  ["=", "=="],
  ["&", "&&"],
  ["|", "||"],
]
const slipCharacters: Readonly<Record<string, string>> = {
  "`": "quotes: \"text\" or 'text'",
  "\u201c": 'straight quotes: "text"',
  "\u201d": 'straight quotes: "text"',
  "\u2018": "straight quotes: 'text'",
  "\u2019": "straight quotes: 'text'",
  ";": "one expression, without a semicolon",
  "#": "an expression without comments",
  "^": "an operator, a name or a literal: there are no powers",
  "~": "an operator, a name or a literal",
}
const namePattern = /[A-Za-z_$][A-Za-z0-9_$]*/y
const numberPattern = /(?:\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|0x[0-9a-fA-F]+|\d+)/y
const blankPattern = /[ \t\r\n]+/y

/** Called once per expression. Throws `ExpressionError` for a character or literal that does not begin a token. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let offset = 0
  while (offset < text.length) {
    const blank = match(blankPattern, text, offset)
    if (blank !== undefined) {
      offset += blank.length
      continue
    }
    const { token, length } = tokenAt(text, offset)
    tokens.push(token)
    offset += length
  }
  tokens.push({ kind: "end", text: "the end", offset: text.length })
  return tokens
}

function tokenAt(text: string, offset: number): { token: Token; length: number } {
  if (text.startsWith("${", offset)) throw new ExpressionError({ offset, found: "${", expected: "the field's name alone: spec.size" })
  const rawText = /^[rR](?=["'])/.test(text.slice(offset, offset + 2))
  const name = rawText ? undefined : match(namePattern, text, offset)
  if (name !== undefined) return { token: { kind: "name", text: name, offset }, length: name.length }
  const number = match(numberPattern, text, offset)
  if (number !== undefined) {
    refuseUnit(text, offset, number)
    const token: Token = { kind: "number", text: number, value: numberOf(number, offset), double: !isWhole(number), offset }
    return { token, length: number.length }
  }
  const start = rawText ? offset + 1 : offset
  if (text[start] === '"' || text[start] === "'") {
    const literal = textLiteral(text, start, rawText)
    return { token: { kind: "text", text: literal.value, offset }, length: literal.end - offset }
  }
  const slip = slips.find(
    ([written]) => text.startsWith(written, offset) && !symbols.some((symbol) => longer(symbol, written, text, offset)),
  )
  if (slip !== undefined) throw new ExpressionError(slipFault(slip, offset))
  const symbol = symbols.find((candidate) => text.startsWith(candidate, offset))
  if (symbol !== undefined) return { token: { kind: "symbol", text: symbol, offset }, length: symbol.length }
  throw new ExpressionError(unknownCharacter(text, offset))
}

/** Whether a symbol of the language begins at `offset` and is longer than the slip: `&&` is no `&`. */
function longer(symbol: string, written: string, text: string, offset: number): boolean {
  return symbol.length > written.length && text.startsWith(symbol, offset)
}

function slipFault([written, meant, expected]: (typeof slips)[number], offset: number): ExpressionFault {
  return { offset, found: written, expected: expected ?? meant, ...(meant !== "" && { nearest: meant }) }
}

function unknownCharacter(text: string, offset: number): ExpressionFault {
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0)
  return { offset, found: character, expected: slipCharacters[character] ?? "an operator, a name or a literal" }
}

function match(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset
  return pattern.exec(text)?.[0]
}

function isWhole(number: string): boolean {
  return number.startsWith("0x") || !/[.eE]/.test(number)
}

/** `5m` and `10Gi` are texts: `duration("5m")`, `quantity("10Gi")`. */
function refuseUnit(text: string, offset: number, number: string): void {
  const unit = match(namePattern, text, offset + number.length)
  if (unit === undefined || unit === "in") return
  const found = `${number}${unit}`
  const meant = /^([num]|[kMGTPE]i?)$/.test(unit) ? `quantity("${found}")` : `duration("${found}")`
  const known = /^([num]|[kMGTPE]i?|h|s|ms|us|ns)$/.test(unit)
  const expected = unit === "m" ? `duration("${found}") or quantity("${found}")` : known ? meant : "an operator after the number"
  throw new ExpressionError({ offset, found, expected })
}

function numberOf(text: string, offset: number): number {
  const value = Number(text)
  if (!isWhole(text) || Number.isSafeInteger(value)) return value
  throw new ExpressionError({ offset, found: text, expected: "a whole number within 2^53" })
}

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", "\\": "\\", '"': '"', "'": "'", "`": "`", "?": "?", "0": "\0" }

/** `start` is at the opening quote; `end` is after the closing one. */
function textLiteral(text: string, start: number, raw: boolean): { value: string; end: number } {
  const quote = text[start]
  let value = ""
  let offset = start + 1
  for (;;) {
    const character = text[offset]
    if (character === undefined) {
      throw new ExpressionError({ offset: start, found: text.slice(start), expected: `a closing ${quote ?? '"'} for this text` })
    }
    if (character === quote) return { value, end: offset + 1 }
    if (character !== "\\" || raw) {
      value += character
      offset += 1
      continue
    }
    const escaped = escapeAt(text, offset)
    value += escaped.value
    offset += escaped.length
  }
}

function escapeAt(text: string, offset: number): { value: string; length: number } {
  const letter = text[offset + 1] ?? ""
  if (letter === "u") {
    const digits = /^[0-9a-fA-F]{4}/.exec(text.slice(offset + 2))?.[0]
    if (digits !== undefined) return { value: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 }
  }
  const value = escapes[letter]
  if (value !== undefined) return { value, length: 2 }
  throw new ExpressionError({
    offset,
    found: `\\${letter}`,
    expected: 'one of the escapes \\n \\r \\t \\\\ \\" \\\' \\uXXXX (a pattern reads better as r"...")',
  })
}
