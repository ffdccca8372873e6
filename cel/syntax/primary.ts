/** The rules of the grammar below operators: names, calls, selections, literals, lists and maps. */
import type { Issue } from "../issue.ts"
import type { CallExpr, Expr, FieldEntry, MapEntry, Position } from "./expr.ts"
import { elementStarts, fieldStarts, operandStarts, operators, primaryStarts, reserved } from "./kinds.ts"
import { constantOf } from "./literal.ts"
import type { MacroTable } from "./macro.ts"
import type { Mark, Nodes } from "./nodes.ts"
import type { Depths } from "./depths.ts"
import type { Source } from "./source.ts"
import type { Token, TokenKind } from "./token.ts"
import { type Kinds, SyntaxFault, type TokenStream } from "./token-stream.ts"

export abstract class PrimaryParser {
  protected readonly operandStarts = operandStarts
  /** Tokens that may follow the current expression. */
  private followers: readonly TokenKind[] = []
  /** Tokens that may follow the expressions around it. */
  private outerFollowers: readonly TokenKind[] = []

  constructor(
    private readonly source: Source,
    protected readonly issues: Issue[],
    protected readonly tokens: TokenStream,
    protected readonly nodes: Nodes,
    private readonly macros: MacroTable,
    private readonly optionalSyntax: boolean,
    protected readonly depths: Depths,
  ) {}

  readonly macroCalls = new Map<number, CallExpr>()
  readonly enclosed = new Set<number>()

  protected abstract expression(): Expr

  protected at(index: number): Position {
    return this.source.position(index)
  }

  /** Reads a part that ends at one of these kinds. */
  protected within<T>(followers: readonly TokenKind[], read: () => T): T {
    const { followers: outer, outerFollowers } = this
    this.outerFollowers = [...outer, ...outerFollowers]
    this.followers = followers
    const result = read()
    this.followers = outer
    this.outerFollowers = outerFollowers
    return result
  }

  /** Reads a part. After a fault in it, continues with tokens that may follow an operand. */
  protected recovered(read: () => Expr): Expr {
    const { followers, outerFollowers } = this
    try {
      return read()
    } catch (cause) {
      if (!(cause instanceof SyntaxFault)) throw cause
      this.followers = followers
      this.outerFollowers = outerFollowers
      this.tokens.skipUntil(new Set([...operators, ...followers, ...outerFollowers]))
      return this.nodes.constant(this.at(0), { type: "null" })
    }
  }

  protected isNumber(ahead: number): boolean {
    const { kind } = this.tokens.peek(ahead)
    return kind === "NUM_INT" || kind === "NUM_FLOAT"
  }

  /** A primary with its selections, calls and indices. */
  protected member(): Expr {
    this.depths.enter("member")
    let operand = this.primary()
    let nested = 1
    for (let token = this.tokens.peek(); token.kind === "'.'" || token.kind === "'['"; token = this.tokens.peek()) {
      this.depths.enter("member")
      nested++
      operand = token.kind === "'.'" ? this.selection(operand) : this.indexing(operand)
    }
    this.depths.leave("member", nested)
    return operand
  }

  private selection(operand: Expr): Expr {
    const dot = this.tokens.next()
    const optional = this.tokens.take("'?'")
    const name = this.tokens.peek()
    if (optional !== undefined && name.kind !== "IDENTIFIER") {
      this.tokens.match("IDENTIFIER", this.afterOperand())
      return operand
    }
    if (name.kind !== "IDENTIFIER") return this.noName(dot, name)
    this.tokens.next()
    if (optional !== undefined) return this.optionalSelection(operand, dot, name)
    const open = this.tokens.take("'('")
    if (open === undefined) return this.nodes.select(this.at(dot.start), operand, name.text)
    const mark = this.nodes.mark(this.at(open.start))
    return this.callOrMacro(mark, name.text, this.args(), operand)
  }

  private noName(dot: Token, found: Token): never {
    if (/^(true|false|null)$/.test(found.text)) {
      return this.tokens.fail(found.start, `mismatched input '${found.text}' expecting IDENTIFIER`)
    }
    return this.tokens.notViable(dot, found)
  }

  private optionalSelection(operand: Expr, dot: Token, name: Token): Expr {
    const position = this.at(dot.start)
    if (!this.optionalSyntax) return this.report(position, "unsupported syntax '.?'")
    const field = this.nodes.constant(this.at(name.start), { type: "string", value: name.text })
    return this.nodes.call(position, "_?._", [operand, field])
  }

  private indexing(operand: Expr): Expr {
    const place = this.nodes.mark(this.at(this.tokens.next().start))
    this.tokens.expect(elementStarts)
    const optional = this.tokens.take("'?'") !== undefined
    const index = this.within(["']'"], () => this.expression())
    this.close("']'")
    if (optional && !this.optionalSyntax) return this.report(place.position, "unsupported syntax '[?'")
    return this.nodes.call(place, optional ? "_[?_]" : "_[_]", [operand, index])
  }

  private primary(): Expr {
    return this.recovered(() => this.unguardedPrimary())
  }

  private unguardedPrimary(): Expr {
    const { kind } = this.tokens.peek()
    switch (kind) {
      case "'('":
        return this.parenthesized()
      case "'['":
        return this.list()
      case "'{'":
        return this.map()
      case "'.'":
      case "IDENTIFIER":
        return this.nameAhead() ? this.struct() : this.name()
      default:
        return this.literalToken()
    }
  }

  private parenthesized(): Expr {
    this.tokens.next()
    const inner = this.within(["')'"], () => this.expression())
    this.close("')'")
    this.enclosed.add(inner.id)
    return inner
  }

  private afterOperand(): Kinds {
    return new Set([...operators, ...this.followers])
  }

  /** Ends a bracket, after which the tokens that follow an operand may come. */
  private close(kind: TokenKind): void {
    this.tokens.match(kind, this.afterOperand())
  }

  private list(): Expr {
    const place = this.nodes.mark(this.at(this.tokens.next().start))
    const elements: Expr[] = []
    const optional: number[] = []
    this.separated("']'", elementStarts, () => {
      const question = this.tokens.take("'?'")
      if (question !== undefined) {
        if (this.optionalSyntax) optional.push(elements.length)
        else this.report(this.at(question.start), "unsupported syntax '?'")
      }
      elements.push(this.within(["','", "']'"], () => this.expression()))
    })
    return this.nodes.list(place, elements, optional)
  }

  /** Elements between commas up to the end. A comma may come before the end, also without elements. */
  private separated(end: TokenKind, starts: Kinds, read: () => void): void {
    this.tokens.expect(new Set([...starts, "','", end]))
    if (starts.has(this.tokens.peek().kind)) {
      read()
      while (this.tokens.peek().kind === "','" && starts.has(this.tokens.peek(1).kind)) {
        this.tokens.next()
        read()
      }
      this.tokens.expect(new Set<TokenKind>(["','", end]))
    }
    this.tokens.take("','")
    this.close(end)
  }

  private map(): Expr {
    const place = this.nodes.mark(this.at(this.tokens.next().start))
    const entries: MapEntry[] = []
    this.separated("'}'", elementStarts, () => {
      const id = this.nodes.id()
      const question = this.tokens.take("'?'")
      if (question !== undefined && !this.optionalSyntax) this.report(this.at(question.start), "unsupported syntax '?'")
      const key = this.within(["':'"], () => this.expression())
      const colon = this.tokens.match("':'", operandStarts)
      const value = this.within(["','", "'}'"], () => this.expression())
      const at = this.at(colon.start)
      entries.push({ id, position: at, key, value, optional: question !== undefined })
    })
    return this.nodes.map(place, entries)
  }

  /** Whether names and dots come next, and then a `{`. */
  private nameAhead(): boolean {
    let ahead = this.tokens.peek().kind === "'.'" ? 1 : 0
    while (this.tokens.peek(ahead).kind === "IDENTIFIER") {
      if (this.tokens.peek(ahead + 1).kind === "'{'") return true
      if (this.tokens.peek(ahead + 1).kind !== "'.'") return false
      ahead += 2
    }
    return false
  }

  private struct(): Expr {
    let name = this.tokens.take("'.'") === undefined ? "" : "."
    name += this.tokens.next().text
    while (this.tokens.take("'.'") !== undefined) name += `.${this.tokens.next().text}`
    const place = this.nodes.mark(this.at(this.tokens.next().start))
    const entries: FieldEntry[] = []
    this.separated("'}'", fieldStarts, () => {
      const id = this.nodes.id()
      const optional = this.tokens.take("'?'") !== undefined
      const field = this.tokens.match("IDENTIFIER", new Set<TokenKind>(["':'"]))
      const colon = this.tokens.match("':'", operandStarts)
      if (optional && !this.optionalSyntax) this.report(this.at(field.start), "unsupported syntax '?'")
      const value = this.within(["','", "'}'"], () => this.expression())
      entries.push({ id, position: this.at(colon.start), field: field.text, value, optional })
    })
    return this.nodes.struct(place, name, entries)
  }

  private name(): Expr {
    const first = this.tokens.peek()
    const dot = this.tokens.take("'.'") === undefined ? "" : "."
    if (this.tokens.peek().kind !== "IDENTIFIER") return this.tokens.notViable(first, this.tokens.peek())
    const name = this.tokens.next()
    if (reserved.has(name.text)) this.report(this.at(first.start), `reserved identifier: ${name.text}`)
    const open = this.tokens.take("'('")
    if (open === undefined) return this.nodes.ident(this.at(name.start), dot + name.text)
    const mark = this.nodes.mark(this.at(open.start))
    return this.callOrMacro(mark, dot + name.text, this.args())
  }

  private args(): Expr[] {
    const args: Expr[] = []
    this.tokens.expect(new Set([...operandStarts, "')'"]))
    if (this.tokens.peek().kind !== "')'") {
      do args.push(this.within(["','", "')'"], () => this.expression()))
      while (this.tokens.take("','") !== undefined)
    }
    this.close("')'")
    return args
  }

  private callOrMacro(place: Mark, name: string, args: readonly Expr[], target?: Expr): Expr {
    const expansion = this.macros.expand(this.nodes, place.position, name, target, args)
    if (expansion === undefined) return this.nodes.call(place, name, args, target)
    if ("message" in expansion) return this.report(expansion.at.position, expansion.message)
    this.macroCalls.set(expansion.id, { kind: "call", ...place, function: name, args, ...(target !== undefined && { target }) })
    return expansion
  }

  private literalToken(): Expr {
    const sign = this.tokens.peek()
    const negative = sign.kind === "'-'" && this.isNumber(1)
    if (negative) this.tokens.next()
    const token = this.tokens.peek()
    const position = this.at(negative ? sign.start : token.start)
    if (token.kind === "'!'" || token.kind === "'-'" || !operandStarts.has(token.kind)) return this.tokens.mismatch(primaryStarts)
    this.tokens.next()
    const constant = constantOf(token, negative)
    return typeof constant === "string" ? this.report(position, constant) : this.nodes.constant(position, constant)
  }

  /** Reports a fault of a readable part. The returned node is never checked. */
  protected report(position: Position, message: string): Expr {
    this.issues.push({ line: position.line, column: position.column, message })
    return this.nodes.constant(position, { type: "null" })
  }
}
