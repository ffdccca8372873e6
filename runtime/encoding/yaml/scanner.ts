/**
 * Makes tokens of the text of a YAML document, one after the other. A mapping's key is known to be a key only at the
 * colon behind it, so tokens wait in a queue until it is certain that no `key` token comes before them. The rules are
 * YAML 1.1's as the reader of the reference applies them: decision record 0023.
 */
import { char, Cursor, endOfText, isBlank, isBreak, isSpaceOrEnd } from "./cursor.ts"
import { scanBlock, scanPlain, scanQuoted } from "./scan-scalar.ts"
import { scanAnchor, scanDirective, scanTag } from "./scan-tag.ts"
import { YamlSyntaxError } from "./syntax-error.ts"
import type { Token, TokenKind } from "./token.ts"

/** Characters between the start of a key without `?` and its colon. YAML 1.1, chapter 9. */
const simpleKeyLengthMax = 1024

/** A possible key of a mapping, until its colon is read. One per level of flow collections. */
interface SimpleKey {
  isPossible: boolean
  /** At this column only the key of a mapping may stand. */
  readonly isRequired: boolean
  /** The number of its token, counted from the first of the document. */
  readonly token: number
  readonly position: number
  readonly line: number
  readonly column: number
}

export class Scanner {
  private readonly cursor: Cursor
  private queue: Token[] = []
  private head = 0
  /** Tokens that were handed out. */
  private taken = 0
  private isHeadCertain = false
  private hasEnded = false
  /** The column of the block collection around the cursor; -1 outside of all. */
  private indent = -1
  private readonly indents: number[] = []
  private flowLevel = 0
  private mayStartKey = true
  private readonly keys: SimpleKey[] = []
  /** The possible keys by the numbers of their tokens: their index in `keys`. */
  private readonly keysByToken = new Map<number, number>()

  constructor(text: string) {
    this.cursor = new Cursor(text)
    if (this.cursor.code() === char.byteOrderMark) this.cursor.advance()
    this.keys.push(this.noKey())
  }

  /** The next token, which stays the next one. */
  peek(): Token {
    while (!this.isHeadCertain) {
      if (this.head < this.queue.length && !this.mayBeKey(this.taken)) this.isHeadCertain = true
      else this.fetch()
    }
    const token = this.queue[this.head]
    if (token === undefined) throw new YamlSyntaxError("found unexpected end of stream", this.cursor.line + 1)
    return token
  }

  take(): Token {
    const token = this.peek()
    this.head++
    this.taken++
    this.isHeadCertain = false
    if (this.head === this.queue.length) {
      this.queue = []
      this.head = 0
    }
    if (token.kind === "streamEnd") this.hasEnded = true
    return token
  }

  private noKey(): SimpleKey {
    const { position, line, column } = this.cursor
    return { isPossible: false, isRequired: false, token: this.nextNumber(), position, line, column }
  }

  /** The number that the next token of the queue gets. */
  private nextNumber(): number {
    return this.taken + this.queue.length - this.head
  }

  private mayBeKey(token: number): boolean {
    const index = this.keysByToken.get(token)
    const key = index === undefined ? undefined : this.keys[index]
    return key !== undefined && this.isStillPossible(key)
  }

  /** A key ends on its line, and within `simpleKeyLengthMax`. */
  private isStillPossible(key: SimpleKey): boolean {
    if (!key.isPossible) return false
    if (key.line === this.cursor.line && key.position + simpleKeyLengthMax >= this.cursor.position) return true
    if (key.isRequired) throw this.fault("could not find expected ':'")
    key.isPossible = false
    return false
  }

  private fault(message: string): YamlSyntaxError {
    return new YamlSyntaxError(message, this.cursor.line + 1)
  }

  private add(kind: TokenKind, parts: Partial<Token> = {}, line: number = this.cursor.line): void {
    this.queue.push({ kind, line, text: "", handle: "", plain: false, ...parts })
  }

  /** Puts a token before the token with a number; a number that was handed out already means at the end. */
  private insert(kind: TokenKind, before: number, line: number): void {
    const token: Token = { kind, line, text: "", handle: "", plain: false }
    if (before < this.taken) this.queue.push(token)
    else this.queue.splice(this.head + before - this.taken, 0, token)
  }

  private fetch(): void {
    if (this.hasEnded) throw this.fault("found unexpected end of stream")
    this.skipToToken()
    this.closeBlocks(this.cursor.column)
    const { cursor } = this
    const code = cursor.code()
    if (code === endOfText) this.fetchEnd()
    else if (cursor.column === 0 && code === char.percent) this.fetchDirective()
    else if (cursor.atDocumentMark()) this.fetchDocumentMark(code)
    else if (!this.fetchIndicator(code)) this.fetchContent(code)
  }

  /** Moves over blanks, comments and line breaks. A tab may not stand where a key may begin. */
  private skipToToken(): void {
    const { cursor } = this
    for (;;) {
      while (cursor.code() === char.space || (cursor.code() === char.tab && (this.flowLevel > 0 || !this.mayStartKey))) cursor.advance()
      cursor.skipComment()
      if (!isBreak(cursor.code())) return
      cursor.takeBreak()
      if (this.flowLevel === 0) this.mayStartKey = true
    }
  }

  private openBlock(column: number, kind: TokenKind, before: number, line: number): void {
    if (this.flowLevel > 0 || this.indent >= column) return
    this.indents.push(this.indent)
    this.indent = column
    this.insert(kind, before, line)
  }

  private closeBlocks(column: number, line?: number): void {
    if (this.flowLevel > 0) return
    while (this.indent > column) {
      this.add("blockEnd", {}, line)
      this.indent = this.indents.pop() ?? -1
    }
  }

  /** Notes that the next token may be a key. */
  private saveKey(): void {
    if (!this.mayStartKey) return
    const { position, line, column } = this.cursor
    const isRequired = this.flowLevel === 0 && this.indent === column
    const key: SimpleKey = { isPossible: true, isRequired, token: this.nextNumber(), position, line, column }
    this.dropKey()
    this.keys[this.keys.length - 1] = key
    this.keysByToken.set(key.token, this.keys.length - 1)
  }

  private dropKey(): void {
    const key = this.keys[this.keys.length - 1]
    if (key?.isPossible !== true) return
    if (key.isRequired) throw this.fault("could not find expected ':'")
    key.isPossible = false
    this.keysByToken.delete(key.token)
  }

  private fetchEnd(): void {
    // Faults name the last line, and no key goes on beyond it.
    const { line } = this.cursor
    if (this.cursor.column !== 0) this.cursor.startLine()
    this.endDocumentPart(line)
    this.add("streamEnd", {}, line)
  }

  /** A directive, a mark or the end of the text ends all blocks. */
  private endDocumentPart(line?: number): void {
    this.closeBlocks(-1, line)
    this.dropKey()
    this.mayStartKey = false
  }

  private fetchDirective(): void {
    this.endDocumentPart()
    const { line } = this.cursor
    const { kind, ...parts } = scanDirective(this.cursor)
    this.add(kind, parts, line)
  }

  private fetchDocumentMark(code: number): void {
    this.endDocumentPart()
    this.add(code === char.dash ? "documentStart" : "documentEnd")
    this.cursor.advance(3)
  }

  /** The characters that structure a document. Returns false for others. */
  private fetchIndicator(code: number): boolean {
    switch (code) {
      case char.openBracket:
        return this.fetchFlowStart("flowSequenceStart")
      case char.openBrace:
        return this.fetchFlowStart("flowMappingStart")
      case char.closeBracket:
        return this.fetchFlowEnd("flowSequenceEnd")
      case char.closeBrace:
        return this.fetchFlowEnd("flowMappingEnd")
      case char.comma:
        return this.fetchFlowEntry()
      case char.dash:
        return isSpaceOrEnd(this.cursor.code(1)) && this.fetchBlockEntry()
      case char.question:
        return (this.flowLevel > 0 || isSpaceOrEnd(this.cursor.code(1))) && this.fetchKey()
      case char.colon:
        return (this.flowLevel > 0 || isSpaceOrEnd(this.cursor.code(1))) && this.fetchValue()
      default:
        return false
    }
  }

  private fetchFlowStart(kind: TokenKind): true {
    this.saveKey()
    this.keys.push(this.noKey())
    this.flowLevel++
    this.mayStartKey = true
    return this.takeIndicator(kind)
  }

  private fetchFlowEnd(kind: TokenKind): true {
    this.dropKey()
    if (this.flowLevel > 0) {
      this.flowLevel--
      const key = this.keys.pop()
      if (key !== undefined) this.keysByToken.delete(key.token)
    }
    this.mayStartKey = false
    return this.takeIndicator(kind)
  }

  private fetchFlowEntry(): true {
    this.dropKey()
    this.mayStartKey = true
    return this.takeIndicator("flowEntry")
  }

  private fetchBlockEntry(): true {
    this.openIfBlock("blockSequenceStart", "block sequence entries are not allowed in this context")
    this.dropKey()
    this.mayStartKey = true
    return this.takeIndicator("blockEntry")
  }

  private fetchKey(): true {
    this.openIfBlock("blockMappingStart", "mapping keys are not allowed in this context")
    this.dropKey()
    this.mayStartKey = this.flowLevel === 0
    return this.takeIndicator("key")
  }

  private fetchValue(): true {
    const key = this.keys[this.keys.length - 1]
    if (key !== undefined && this.isStillPossible(key)) {
      this.insert("key", key.token, key.line)
      this.openBlock(key.column, "blockMappingStart", key.token, key.line)
      key.isPossible = false
      this.keysByToken.delete(key.token)
      this.mayStartKey = false
    } else {
      this.openIfBlock("blockMappingStart", "mapping values are not allowed in this context")
      this.mayStartKey = this.flowLevel === 0
    }
    return this.takeIndicator("value")
  }

  /** Begins a block collection here, unless it has begun, or a flow collection is open. */
  private openIfBlock(kind: TokenKind, fault: string): void {
    if (this.flowLevel > 0) return
    if (!this.mayStartKey) throw this.fault(fault)
    this.openBlock(this.cursor.column, kind, Number.POSITIVE_INFINITY, this.cursor.line)
  }

  private takeIndicator(kind: TokenKind): true {
    this.add(kind)
    this.cursor.advance()
    return true
  }

  private fetchContent(code: number): void {
    const { cursor } = this
    const { line } = cursor
    if (this.flowLevel === 0 && (code === char.pipe || code === char.greater)) {
      this.dropKey()
      this.mayStartKey = true
      this.add("scalar", { text: scanBlock(cursor, this.indent) }, line)
      return
    }
    if (code === char.asterisk || code === char.ampersand) {
      this.beginContent()
      this.add(code === char.asterisk ? "alias" : "anchor", { text: scanAnchor(cursor) }, line)
    } else if (code === char.exclamation) {
      this.beginContent()
      const { handle, suffix } = scanTag(cursor)
      this.add("tag", { handle, text: suffix }, line)
    } else if (code === char.singleQuote || code === char.doubleQuote) {
      this.beginContent()
      this.add("scalar", { text: scanQuoted(cursor) }, line)
    } else if (this.startsPlain(code)) {
      this.beginContent()
      const { text, hasBreak } = scanPlain(cursor, this.indent + 1, this.flowLevel > 0)
      this.add("scalar", { text, plain: true }, line)
      if (hasBreak) this.mayStartKey = true
    } else throw this.fault("found character that cannot start any token")
  }

  private beginContent(): void {
    this.saveKey()
    this.mayStartKey = false
  }

  private startsPlain(code: number): boolean {
    switch (code) {
      case char.dash:
        return !isBlank(this.cursor.code(1))
      case char.question:
      case char.colon:
        return this.flowLevel === 0 && !isSpaceOrEnd(this.cursor.code(1))
      default:
        return !isSpaceOrEnd(code) && !neverPlain.has(code)
    }
  }
}

const neverPlain = new Set([..."[]{},#&*!|>'\"%@`"].map((one) => one.charCodeAt(0)))
