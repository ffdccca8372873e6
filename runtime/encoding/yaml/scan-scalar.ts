/**
 * Reads the text of scalars: plain, in quotes, and in blocks. Each function begins at the first character of the scalar
 * and leaves the cursor behind its last one. The rules follow YAML 1.1 (chapter 9) where the reader of the reference
 * does.
 */
import { char, type Cursor, endOfText, isBlank, isBreak, isBreakOrEnd, isDigit, isSpaceOrEnd } from "./cursor.ts"
import { YamlSyntaxError } from "./syntax-error.ts"

/** The blanks and breaks between two words of a scalar. */
interface Gap {
  readonly hasBreak: boolean
  /** Their text once lines are folded. */
  readonly text: string
}

/** Called at a blank or break. With `tabsFrom`, a tab left of that column on a later line is a fault. */
function takeGap(cursor: Cursor, tabsFrom = 0): Gap {
  let hasBreak = false
  let first = ""
  let rest = ""
  const start = cursor.position
  let blanks = 0
  for (;;) {
    const code = cursor.code()
    if (isBlank(code)) {
      if (hasBreak && code === char.tab && cursor.column < tabsFrom)
        throw new YamlSyntaxError("found a tab character that violates indentation", cursor.line + 1)
      cursor.advance()
      if (!hasBreak) blanks++
    } else if (isBreak(code)) {
      if (hasBreak) rest += cursor.takeBreak()
      else first = cursor.takeBreak()
      hasBreak = true
    } else break
  }
  return { hasBreak, text: hasBreak ? folded(first, rest) : cursor.text.slice(start, start + blanks) }
}

/** One line break is a space, several lose the first. A break that is no line feed stays. */
function folded(first: string, rest: string): string {
  if (first !== "\n") return first + rest
  return rest === "" ? " " : rest
}

/** A plain scalar. `indent` is the column that its further lines must reach, unless it is in a flow collection. */
export function scanPlain(cursor: Cursor, indent: number, inFlow: boolean): { text: string; hasBreak: boolean } {
  let text = ""
  let gap: Gap | undefined
  while (!cursor.atDocumentMark() && cursor.code() !== char.hash) {
    const length = plainLength(cursor, inFlow)
    if (length === 0) break
    text += (gap?.text ?? "") + cursor.text.slice(cursor.position, cursor.position + length)
    cursor.advance(length)
    gap = undefined
    const code = cursor.code()
    if (!isBlank(code) && !isBreak(code)) break
    gap = takeGap(cursor, indent)
    if (!inFlow && cursor.column < indent) break
  }
  return { text, hasBreak: gap?.hasBreak ?? false }
}

/** The number of characters up to a blank, a break, or an indicator that ends a plain scalar. */
function plainLength(cursor: Cursor, inFlow: boolean): number {
  for (let length = 0; ; length++) {
    const code = cursor.code(length)
    if (isSpaceOrEnd(code)) return length
    if (code === char.colon && isSpaceOrEnd(cursor.code(length + 1))) return length
    if (inFlow && endsPlainInFlow(code)) return length
  }
}

function endsPlainInFlow(code: number): boolean {
  switch (code) {
    case char.comma:
    case char.question:
    case char.openBracket:
    case char.closeBracket:
    case char.openBrace:
    case char.closeBrace:
      return true
    default:
      return false
  }
}

/** A scalar in single or double quotes. */
export function scanQuoted(cursor: Cursor): string {
  const quote = cursor.code()
  const isSingle = quote === char.singleQuote
  let text = ""
  cursor.advance()
  for (;;) {
    if (cursor.atDocumentMark()) throw new YamlSyntaxError("found unexpected document indicator", cursor.line + 1)
    if (cursor.code() === endOfText) throw new YamlSyntaxError("found unexpected end of stream", cursor.line + 1)
    const { text: word, joined } = isSingle ? takeSingleWord(cursor) : takeDoubleWord(cursor)
    text += word
    if (cursor.code() === quote) break
    if (joined) text += afterJoin(cursor)
    else if (cursor.code() !== endOfText) text += takeGap(cursor).text
  }
  cursor.advance()
  return text
}

function takeSingleWord(cursor: Cursor): { text: string; joined: boolean } {
  let text = ""
  for (;;) {
    let length = 0
    while (!isSpaceOrEnd(cursor.code(length)) && cursor.code(length) !== char.singleQuote) length++
    text += cursor.text.slice(cursor.position, cursor.position + length)
    cursor.advance(length)
    if (cursor.code() !== char.singleQuote || cursor.code(1) !== char.singleQuote) return { text, joined: false }
    text += "'"
    cursor.advance(2)
  }
}

/** `joined`: a backslash ended the line, and the next one continues without a space. */
function takeDoubleWord(cursor: Cursor): { text: string; joined: boolean } {
  let text = ""
  for (;;) {
    let length = 0
    while (!isSpaceOrEnd(cursor.code(length)) && cursor.code(length) !== char.doubleQuote && cursor.code(length) !== char.backslash)
      length++
    text += cursor.text.slice(cursor.position, cursor.position + length)
    cursor.advance(length)
    if (cursor.code() !== char.backslash) return { text, joined: false }
    if (isBreak(cursor.code(1))) {
      cursor.advance()
      cursor.takeBreak()
      return { text, joined: true }
    }
    text += takeEscape(cursor)
  }
}

/** Blanks and breaks behind a line that a backslash ended: blanks are dropped, breaks stay. */
function afterJoin(cursor: Cursor): string {
  let breaks = ""
  for (;;) {
    if (isBlank(cursor.code())) cursor.advance()
    else if (isBreak(cursor.code())) breaks += cursor.takeBreak()
    else return breaks
  }
}

/** Escapes of one character, in quotes of two strokes. */
const escapes: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["N", "\x85"],
  ["_", "\xa0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
])

/** Escapes that a number follows, with the length of that number. */
const numberedEscapes: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
])

function takeEscape(cursor: Cursor): string {
  const { line } = cursor
  const letter = cursor.text[cursor.position + 1] ?? ""
  const simple = escapes.get(letter)
  if (simple !== undefined) {
    cursor.advance(2)
    return simple
  }
  const length = numberedEscapes.get(letter)
  if (length === undefined) throw new YamlSyntaxError(`found unknown escape character ${JSON.stringify(letter)}`, line + 1)
  cursor.advance(2)
  const digits = cursor.text.slice(cursor.position, cursor.position + length)
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits))
    throw new YamlSyntaxError("did not find expected hexdecimal number", line + 1)
  const code = Number.parseInt(digits, 16)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw new YamlSyntaxError(`found invalid Unicode character escape code \\${letter}${digits}`, line + 1)
  cursor.advance(length)
  return String.fromCodePoint(code)
}

/** The marks behind `|` or `>`. */
interface BlockHeader {
  readonly chomp: "strip" | "clip" | "keep"
  /** Columns of indentation beyond the parent's; 0 if the first line decides. */
  readonly increment: number
}

/** A block scalar. `parentIndent` is the indentation of the collection around it, -1 for none. */
export function scanBlock(cursor: Cursor, parentIndent: number): string {
  const isLiteral = cursor.code() === char.pipe
  cursor.advance()
  const { chomp, increment } = takeHeader(cursor)
  const given = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment
  const first = takeBlockBreaks(cursor, given, parentIndent)
  const { indent } = first
  let text = ""
  let lineBreak = ""
  let { breaks } = first
  let afterBlank = false
  while (cursor.column === indent && cursor.code() !== endOfText) {
    const beforeBlank = isBlank(cursor.code())
    const folds = !isLiteral && lineBreak === "\n" && !afterBlank && !beforeBlank
    if (!folds) text += lineBreak
    else if (breaks === "") text += " "
    text += breaks + takeLine(cursor)
    afterBlank = beforeBlank
    lineBreak = isBreak(cursor.code()) ? cursor.takeBreak() : ""
    ;({ breaks } = takeBlockBreaks(cursor, indent, parentIndent))
  }
  if (chomp !== "strip") text += lineBreak
  return chomp === "keep" ? text + breaks : text
}

function takeLine(cursor: Cursor): string {
  let length = 0
  while (!isBreakOrEnd(cursor.code(length))) length++
  const line = cursor.text.slice(cursor.position, cursor.position + length)
  cursor.advance(length)
  return line
}

function takeHeader(cursor: Cursor): BlockHeader {
  let chomp = takeChomp(cursor)
  const increment = takeIncrement(cursor)
  if (chomp === undefined && increment > 0) chomp = takeChomp(cursor)
  cursor.skipBlanks()
  cursor.skipComment()
  if (!isBreakOrEnd(cursor.code())) throw new YamlSyntaxError("did not find expected comment or line break", cursor.line + 1)
  if (isBreak(cursor.code())) cursor.takeBreak()
  return { chomp: chomp ?? "clip", increment }
}

function takeChomp(cursor: Cursor): BlockHeader["chomp"] | undefined {
  const code = cursor.code()
  if (code !== char.plus && code !== char.dash) return undefined
  cursor.advance()
  return code === char.plus ? "keep" : "strip"
}

function takeIncrement(cursor: Cursor): number {
  const code = cursor.code()
  if (!isDigit(code)) return 0
  if (code === char.zero) throw new YamlSyntaxError("found an indentation indicator equal to 0", cursor.line + 1)
  cursor.advance()
  return code - char.zero
}

/** Empty lines of a block scalar, and the indentation after them. The widest line decides an `indent` of 0. */
function takeBlockBreaks(cursor: Cursor, indent: number, parentIndent: number): { breaks: string; indent: number } {
  let breaks = ""
  let widest = 0
  for (;;) {
    while ((indent === 0 || cursor.column < indent) && cursor.code() === char.space) cursor.advance()
    widest = Math.max(widest, cursor.column)
    if ((indent === 0 || cursor.column < indent) && cursor.code() === char.tab)
      throw new YamlSyntaxError("found a tab character where an indentation space is expected", cursor.line + 1)
    if (!isBreak(cursor.code())) break
    breaks += cursor.takeBreak()
  }
  return { breaks, indent: indent === 0 ? Math.max(widest, parentIndent + 1, 1) : indent }
}
