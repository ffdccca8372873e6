import type { Issue } from "../issue.ts"
import { tokenize } from "./lexer.ts"
import type { Source } from "./source.ts"
import { formatKinds, type Token, type TokenKind } from "./token.ts"

/** The rest of the source cannot be read; the fault is reported already. */
export class SyntaxFault extends Error {}

export type Kinds = ReadonlySet<TokenKind>

/** The tokens of a source, read from left to right, with messages as the reference's parser writes them. */
export class TokenStream {
  private readonly tokens: readonly Token[]
  private index = 0
  /** Pieces of the source that are not tokens. */
  private readonly unknown: { readonly start: number; readonly length: number }[] = []
  /** A fault was reported, and no token was accepted since: more faults would have the same cause. */
  private recovering = false

  constructor(
    private readonly source: Source,
    private readonly issues: Issue[],
    operators: readonly string[],
  ) {
    const unknown = (start: number, text: string): void => {
      this.unknown.push({ start, length: text.length })
      this.add(start, `token recognition error at: '${text}'`)
    }
    this.tokens = tokenize(source.text, unknown, operators)
  }

  peek(ahead = 0): Token {
    const token = this.tokens[this.index + ahead] ?? this.tokens.at(-1)
    if (token === undefined) throw new TypeError("a token stream without its end")
    return token
  }

  next(): Token {
    const token = this.peek()
    if (token.kind !== "<EOF>") this.index++
    this.recovering = false
    return token
  }

  /** Skips tokens until one of these kinds. */
  skipUntil(kinds: Kinds): void {
    while (this.peek().kind !== "<EOF>" && !kinds.has(this.peek().kind)) this.index++
  }

  /** Consumes the next token if it is of a kind. */
  take(kind: TokenKind): Token | undefined {
    return this.peek().kind === kind ? this.next() : undefined
  }

  /**
   * Consumes a token of a kind. If another token is next, one superfluous token is skipped, or a missing one is assumed
   * when `following` can begin with the next token; otherwise reading ends.
   */
  match(kind: TokenKind, following: Kinds): Token {
    const found = this.take(kind)
    if (found !== undefined) return found
    const expected = new Set([kind])
    if (this.peek(1).kind === kind && this.peek().kind !== "<EOF>") return this.skipTo(expected)
    const at = this.peek()
    if (!following.has(at.kind)) return this.mismatch(expected)
    this.report(at.start, `missing ${kind} at '${at.text}'`)
    return { kind, text: "", start: at.start }
  }

  /** Checks that one of these kinds comes next, skipping one superfluous token. */
  expect(expected: Kinds): void {
    if (expected.has(this.peek().kind)) return
    if (expected.has(this.peek(1).kind) && this.peek().kind !== "<EOF>") {
      const token = this.next()
      this.report(token.start, `extraneous input '${token.text}' expecting ${formatKinds(expected)}`)
    } else this.mismatch(expected)
  }

  mismatch(expected: Kinds): never {
    const token = this.peek()
    return this.fail(token.start, `mismatched input '${token.text}' expecting ${formatKinds(expected)}`)
  }

  /** Reports that no rule of the grammar matches the tokens from `first` to `last`. */
  notViable(first: Token, last: Token): never {
    const end = last.kind === "<EOF>" ? last.start : last.start + last.text.length
    const pieces = this.unknown.filter(({ start }) => start >= first.start && start < end)
    let text = ""
    let from = first.start
    for (const { start, length } of pieces) {
      text += this.source.text.slice(from, start)
      from = start + length
    }
    text = (text + this.source.text.slice(from, end)).trimEnd()
    return this.fail(last.start, `no viable alternative at input '${text}'`)
  }

  fail(start: number, message: string): never {
    this.report(start, message)
    throw new SyntaxFault(message)
  }

  private skipTo(expected: Kinds): Token {
    const token = this.next()
    this.report(token.start, `extraneous input '${token.text}' expecting ${formatKinds(expected)}`)
    return this.next()
  }

  private report(start: number, message: string): void {
    if (!this.recovering) this.add(start, message)
    this.recovering = true
  }

  private add(start: number, message: string): void {
    const { line, column } = this.source.position(start)
    this.issues.push({ line, column, message: `Syntax error: ${message}` })
  }
}
