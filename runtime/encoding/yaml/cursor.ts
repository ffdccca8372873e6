/** A place in the text of a YAML document, with its line and column. The scanner moves it forward. */

/** Codes of characters that have a meaning in YAML. */
export const char = {
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  exclamation: 0x21,
  doubleQuote: 0x22,
  hash: 0x23,
  percent: 0x25,
  ampersand: 0x26,
  singleQuote: 0x27,
  asterisk: 0x2a,
  plus: 0x2b,
  comma: 0x2c,
  dash: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  less: 0x3c,
  greater: 0x3e,
  question: 0x3f,
  at: 0x40,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  backtick: 0x60,
  openBrace: 0x7b,
  pipe: 0x7c,
  closeBrace: 0x7d,
  nextLine: 0x85,
  lineSeparator: 0x2028,
  paragraphSeparator: 0x2029,
  byteOrderMark: 0xfeff,
} as const

/** The code at the end of the text. Texts have no such character: YAML forbids it. */
export const endOfText = 0

export function isBlank(code: number): boolean {
  return code === char.space || code === char.tab
}

/** A line break of YAML 1.1, which has three more than YAML 1.2. */
export function isBreak(code: number): boolean {
  return (
    code === char.lineFeed ||
    code === char.carriageReturn ||
    code === char.nextLine ||
    code === char.lineSeparator ||
    code === char.paragraphSeparator
  )
}

export function isBreakOrEnd(code: number): boolean {
  return code === endOfText || isBreak(code)
}

export function isSpaceOrEnd(code: number): boolean {
  return isBlank(code) || isBreakOrEnd(code)
}

export function isDigit(code: number): boolean {
  return code >= char.zero && code <= char.nine
}

/** A character of anchors, of names of directives and of handles of tags. */
export function isWordCharacter(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f || code === char.dash
}

export class Cursor {
  /** Where the next character is. */
  position = 0
  /** Counts from 0. */
  line = 0
  private lineStart = 0
  /** Surrogate pairs before the cursor on this line: a column counts characters, not code units. */
  private pairs = 0
  private readonly hasPairs: boolean

  constructor(readonly text: string) {
    this.hasPairs = /[\ud800-\udbff]/.test(text)
  }

  get column(): number {
    return this.position - this.lineStart - this.pairs
  }

  /** The code unit at the cursor, or `ahead` units behind it. */
  code(ahead = 0): number {
    const at = this.position + ahead
    return at < this.text.length ? this.text.charCodeAt(at) : endOfText
  }

  /** Moves over code units, none of which is a line break. */
  advance(count = 1): void {
    const end = Math.min(this.position + count, this.text.length)
    if (this.hasPairs) for (let at = this.position; at < end; at++) if ((this.text.charCodeAt(at) & 0xfc00) === 0xd800) this.pairs++
    this.position = end
  }

  /** Moves over a line break and returns its text in a scalar. CR LF is one break. */
  takeBreak(): string {
    const code = this.code()
    this.position += code === char.carriageReturn && this.code(1) === char.lineFeed ? 2 : 1
    this.startLine()
    return code === char.lineSeparator || code === char.paragraphSeparator ? String.fromCharCode(code) : "\n"
  }

  /** Begins a new line at the cursor, also without a line break at the end of the text. */
  startLine(): void {
    this.line++
    this.lineStart = this.position
    this.pairs = 0
  }

  skipBlanks(): void {
    while (isBlank(this.code())) this.advance()
  }

  /** Moves over a comment, if one begins here, to the end of its line. */
  skipComment(): void {
    if (this.code() !== char.hash) return
    let length = 0
    while (!isBreakOrEnd(this.code(length))) length++
    this.advance(length)
  }

  /** Whether `---` or `...` stands alone at the start of a line. */
  atDocumentMark(): boolean {
    const code = this.code()
    if (this.column !== 0 || (code !== char.dash && code !== char.dot)) return false
    return this.code(1) === code && this.code(2) === code && isSpaceOrEnd(this.code(3))
  }
}
