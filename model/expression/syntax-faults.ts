/**
 * Explains texts that CEL's parser refuses, in the words of authors: what was found, what would be valid, and the
 * dialect's word for a habit of another language.
 */
import { type Issue, type Token, tokenize } from "../../cel/index.ts"
import { macros } from "./functions.ts"
import { nameHabit, operatorHabit } from "./habits.ts"

/** A syntax error of an expression, at an offset of its text. `expected` describes a valid text. */
export interface ExpressionFault {
  readonly offset: number
  readonly found: string
  readonly expected: string
  readonly nearest?: string
}

/** Operators of other languages, longest first, with the valid form. None of them begins a valid token. */
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
/** Operators that begin with a slip and are valid. */
const longOperators = ["==", "&&", "||", "??"] as const
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
  $: "the path alone: spec.size",
}

/** A token, or a text that is not a token. */
interface Piece {
  readonly kind: Token["kind"] | "unknown"
  readonly text: string
  readonly start: number
}

/** Called with the issues of CEL's parser. Returns the first one that authors can act on. Never throws. */
export function syntaxFault(text: string, issues: readonly Issue[]): ExpressionFault {
  const pieces = piecesOf(text)
  const [first] = issues
  return (
    pieces.map((piece, index) => lexicalFault(text, piece, pieces[index + 1])).find((fault) => fault !== undefined) ??
    (first === undefined || first.line < 1
      ? { offset: 0, found: "the whole", expected: "an expression nested at most 64 deep" }
      : worded(text, pieces, first))
  )
}

function piecesOf(text: string): readonly Piece[] {
  const unknown: Piece[] = []
  const tokens = tokenize(text, (start, piece) => unknown.push({ kind: "unknown", text: piece, start }), ["??"])
  return [...tokens, ...unknown].toSorted((left, right) => left.start - right.start)
}

/** Characters and literals that begin no token, or that are joined in an invalid way. */
function lexicalFault(text: string, piece: Piece, next: Piece | undefined): ExpressionFault | undefined {
  const { kind, start } = piece
  if (kind === "STRING" || kind === "BYTES" || kind === "IDENTIFIER" || kind === "<EOF>") return undefined
  if (kind.startsWith("NUM_")) return unitFault(text, piece, next)
  if (text.startsWith("${", start)) return { offset: start, found: "${", expected: `the field's name alone: ${pathAt(text, start + 2)}` }
  if (text.startsWith("$", start) && next?.kind === "IDENTIFIER" && next.start === start + 1)
    return { offset: start, found: `$${next.text}`, expected: "the name without $", nearest: next.text }
  const slip = slips.find(([written]) => {
    const longer = longOperators.some((operator) => operator.length > written.length && text.startsWith(operator, start))
    return text.startsWith(written, start) && !longer
  })
  if (slip !== undefined) {
    const [found, meant, expected = meant] = slip
    return { offset: start, found, expected, ...(meant !== "" && { nearest: meant }) }
  }
  if (kind !== "unknown") return undefined
  if (/^['"]/.test(piece.text)) return textFault(text, piece)
  const character = String.fromCodePoint(text.codePointAt(start) ?? 0)
  const expected = slipCharacters[character] ?? "an operator, a name or a literal"
  return { offset: start, found: character, expected, ...(character === "$" && { nearest: "self" }) }
}

/** `5m` and `10Gi` are texts: `duration("5m")`, `quantity("10Gi")`. */
function unitFault(text: string, { text: number, start }: Piece, next: Piece | undefined): ExpressionFault | undefined {
  if (next?.start !== start + number.length || next.kind !== "IDENTIFIER") return undefined
  const found = text.slice(start, next.start + next.text.length)
  const unit = next.text
  const meant = /^([num]|[kMGTPE]i?)$/.test(unit) ? `quantity("${found}")` : `duration("${found}")`
  const known = /^([num]|[kMGTPE]i?|h|s|ms|us|ns)$/.test(unit)
  const expected = unit === "m" ? `duration("${found}") or quantity("${found}")` : known ? meant : "an operator after the number"
  return { offset: start, found, expected }
}

/** A quoted text that does not end, or has an invalid escape. */
function textFault(text: string, { text: piece, start }: Piece): ExpressionFault {
  const escape = /\\[^\\]?$/.exec(piece)
  if (escape === null || escape[0] === "\\") {
    const quote = piece.slice(0, 1)
    return { offset: start, found: text.slice(start), expected: `a closing ${quote} for this text` }
  }
  return {
    offset: start + escape.index,
    found: escape[0],
    expected: 'one of the escapes \\n \\r \\t \\\\ \\" \\\' \\uXXXX (a pattern reads better as r"...")',
  }
}

const operand = "a name, a literal, a list or a parenthesis"
const openings: ReadonlySet<string> = new Set(["'('", "'['", "'{'", "'?'"])

/** Describes the token at the issue, by the token before it. */
function worded(text: string, pieces: readonly Piece[], issue: Issue): ExpressionFault {
  const offset = offsetOf(text, issue)
  const at = pieces.findIndex(({ start }) => start >= offset)
  const piece = pieces[at] ?? { kind: "<EOF>", text: "", start: text.length }
  const before = pieces[at - 1]
  const found = piece.kind === "<EOF>" ? "the end" : piece.text
  const fault = (expected: string, more: Partial<ExpressionFault> = {}): ExpressionFault => ({
    offset: piece.start,
    found,
    expected,
    ...more,
  })
  const mixture = /^operator '(.*)' beside '(.*)' needs/.exec(issue.message)
  if (mixture !== null) {
    const [, symbol = "", beside = ""] = mixture
    return fault(`parentheses that say which binds first: (a ${symbol} b) ${beside} c`, { found: `${symbol} beside ${beside}` })
  }
  if (/^invalid int/.test(issue.message)) return fault("a whole number within 2^53", { found: numberAt(text, piece.start) })
  for (const word of [before, piece]) {
    const statement = word?.kind === "IDENTIFIER" ? nameHabit(word.text, nextOf(pieces, word)) : undefined
    if (word !== undefined && statement !== undefined) return { offset: word.start, found: word.text, ...statement }
  }
  if (/^reserved identifier/.test(issue.message))
    return fault(`self.${found}: ${found} alone is a word of CEL`, { nearest: `self.${found}` })
  if (before?.kind === "'.'") {
    const dot = { offset: before.start, found: "." }
    if (/^NUM_/.test(pieces[at - 2]?.kind ?? "")) return fault(rangeHint, dot)
    return isOperandNext(pieces[at - 2]) ? fault(pathHint(text, before.start), dot) : fault("a field or function name after the dot")
  }
  return isOperandNext(before) ? operandFault(text, piece, before, fault) : afterOperand(text, pieces.slice(0, at), piece, fault)
}

/** The path at that offset of an expression, in the author's words; an example where there is none. */
function pathAt(text: string, start: number): string {
  return /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/.exec(text.slice(start))?.[0] ?? "spec.size"
}

/** Called with the place of a dot that begins a path. */
export function pathHint(text: string, start: number): string {
  return `the path without a dot in front: ${pathAt(text, start + 1)}`
}

const rangeHint = "two comparisons for a range: 1 <= a && a <= 5"

type Fault = (expected: string, more?: Partial<ExpressionFault>) => ExpressionFault

function numberAt(text: string, start: number): string {
  return /^-?\w+/.exec(text.slice(start))?.[0] ?? ""
}

function nextOf(pieces: readonly Piece[], piece: Piece): Piece | undefined {
  return pieces[pieces.indexOf(piece) + 1]
}

/** Where an issue is in UTF-16 units: issues count lines from 1 and characters from 0. */
export function offsetOf(text: string, { line, column }: Pick<Issue, "line" | "column">): number {
  const lines = text.split("\n")
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  return (
    before +
    Array.from(lines[line - 1] ?? "")
      .slice(0, column)
      .join("").length
  )
}

/** Whether an operand must follow: `before` is nothing, an operator, a comma or an opening bracket. */
function isOperandNext(before: Piece | undefined): boolean {
  return before === undefined || !/^(?:'[)\]}]'|'(?:true|false|null)'|NUM_.*|STRING|BYTES|IDENTIFIER)$/.test(before.kind)
}

const macroHint = "an index such as [0], or a macro such as .all(item, ...), .map(item, ...)"

function operandFault(text: string, piece: Piece, before: Piece | undefined, fault: Fault): ExpressionFault {
  if (before?.kind === "'['" && piece.kind === "']'") return fault(macroHint)
  if (piece.kind === "'.'") return fault(pathHint(text, piece.start))
  if (piece.kind === "'/'") return fault('a value; patterns are texts: name.matches("^a")')
  return fault(piece.kind === "'*'" ? macroHint : operand)
}

interface Opening {
  readonly kind: string
  /** Of a call. */
  readonly name?: string
  /** An index follows a value, a list does not. */
  readonly afterValue: boolean
  /** The piece after it. */
  readonly first: Piece | undefined
  commas: number
}

/** The open brackets, the innermost last; a `?` is one that a colon closes. */
function openingsOf(pieces: readonly Piece[]): Opening[] {
  const open: Opening[] = []
  for (const [index, { kind }] of pieces.entries()) {
    const before = pieces[index - 1]
    const innermost = open.at(-1)
    if (openings.has(kind))
      open.push({
        kind,
        afterValue: !isOperandNext(before),
        first: pieces[index + 1],
        commas: 0,
        ...(before?.kind === "IDENTIFIER" && { name: before.text }),
      })
    else if (kind === "','" && innermost !== undefined) innermost.commas += 1
    else if (/^'[)\]}:]'$/.test(kind)) open.pop()
  }
  return open
}

/** The expression could end here, but something other than an operator follows. */
function afterOperand(text: string, pieces: readonly Piece[], piece: Piece, fault: Fault): ExpressionFault {
  const before = pieces.at(-1)
  const open = openingsOf(pieces).at(-1)
  if (piece.kind === "NUM_FLOAT" && before?.kind === "IDENTIFIER") return fault("a field or function name after the dot")
  const habit = piece.kind === "IDENTIFIER" ? operatorHabit(piece.text, before?.kind === "IDENTIFIER" ? before.text : undefined) : undefined
  if (habit !== undefined) return fault(habit.expected, habit)
  if (open === undefined) {
    if (/^'[)\]}]'$/.test(piece.kind)) return fault(`no ${piece.text} here: nothing is open`)
    if (piece.kind === "'('") return fault("the name of a function before the parenthesis")
    return fault("an operator or the end of the expression")
  }
  switch (open.kind) {
    case "'?'":
      return fault('":" and the value otherwise')
    case "'['":
      return fault(open.afterValue ? '"]" after the index' : '"]" to close the list')
    case "'{'":
      if (open.first?.kind === "'.'")
        return fault(`the path without braces and a dot in front: ${pathAt(text, open.first.start + 1)}`, {
          offset: open.first.start,
          found: ".",
        })
      return fault('"}" right after it: {} is the empty object, and the only one that can be written')
    default:
      return inParentheses(open, piece, fault)
  }
}

function inParentheses({ name, commas }: Opening, piece: Piece, fault: Fault): ExpressionFault {
  const isMacro = macros.some((macro) => macro === name) || name === "exists_one"
  if (isMacro && commas === 0) return fault(`"," between a variable and what it does: list.${name}(item, ...)`)
  if (isMacro) return fault(`")" after the body of ${name}`)
  if (name !== undefined) return fault('")" after the arguments')
  if (piece.kind === "','") return fault('")" to close the parenthesis; a list is written in brackets: [a, b]')
  return fault('")" to close the parenthesis')
}
