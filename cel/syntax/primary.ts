/** The rules of the grammar below operators: names, calls, selections, literals, lists and maps. */
import type { Issue } from "../issue.ts"
import type { Constant, Expr, FieldEntry, MapEntry, Position } from "./expr.ts"
import { parseDouble, parseInt64, parseUint64, unquoteBytes, unquoteText } from "./literal.ts"
import type { MacroTable } from "./macro.ts"
import type { Nodes } from "./nodes.ts"
import type { Depths } from "./depths.ts"
import type { Source } from "./source.ts"
import type { Token, TokenKind } from "./token.ts"
import { type Kinds, SyntaxFault, type TokenStream } from "./token-stream.ts"

const reserved: ReadonlySet<string> = new Set(
  ("as break const continue else false for function if import in let loop package namespace null return true var " + "void while").split(
    " ",
  ),
)

const operandStarts: Kinds = new Set<TokenKind>([
  "'['",
  "'{'",
  "'('",
  "'.'",
  "'-'",
  "'!'",
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
])
/** What a primary may begin with: no `!`, and `-` before a number alone. */
const primaryStarts: Kinds = new Set([...operandStarts].filter((kind) => kind !== "'!'"))
const operators: readonly TokenKind[] = [
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "'.'",
  "'-'",
  "'?'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
]

export abstract class PrimaryParser {
  protected readonly operandStarts = operandStarts
  /** What may follow the expression that is being read. */
  private followers: readonly TokenKind[] = []
  /** What may follow the expressions around it. */
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

  protected abstract expression(): Expr

  protected at(index: number): Position {
    return this.source.position(index)
  }

  /** Reads a part that one of these kinds ends. */
  protected within<T>(followers: readonly TokenKind[], read: () => T): T {
    const { followers: outer, outerFollowers } = this
    this.outerFollowers = [...outer, ...outerFollowers]
    this.followers = followers
    const result = read()
    this.followers = outer
    this.outerFollowers = outerFollowers
    return result
  }

  /** Reads a part. After a fault in it, reading goes on with what may follow an operand. */
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
    return this.callOrMacro(this.at(open.start), name.text, this.args(), operand)
  }

  private noName(dot: Token, found: Token): never {
    if (/^(true|false|null)$/.test(found.text)) {
      return this.tokens.fail(found.start, `mismatched input '${found.text}' expecting IDENTIFIER`)
    }
    const end = found.kind === "<EOF>" ? found.start : found.start + found.text.length
    const text = this.source.text.slice(dot.start, end).trimEnd()
    return this.tokens.fail(found.start, `no viable alternative at input '${text}'`)
  }

  private optionalSelection(operand: Expr, dot: Token, name: Token): Expr {
    const position = this.at(dot.start)
    if (!this.optionalSyntax) return this.report(position, "unsupported syntax '.?'")
    const field = this.nodes.constant(this.at(name.start), { type: "string", value: name.text })
    return this.nodes.call(position, "_?._", [operand, field])
  }

  private indexing(operand: Expr): Expr {
    const open = this.tokens.next()
    const position = this.at(open.start)
    const optional = this.tokens.take("'?'") !== undefined
    const index = this.within(["']'"], () => this.expression())
    this.close("']'")
    if (optional && !this.optionalSyntax) return this.report(position, "unsupported syntax '[?'")
    return this.nodes.call(position, optional ? "_[?_]" : "_[_]", [operand, index])
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
    return inner
  }

  private afterOperand(): Kinds {
    return new Set([...operators, ...this.followers])
  }

  /** Ends a bracket: what follows it is what follows an operand. */
  private close(kind: TokenKind): void {
    this.tokens.match(kind, this.afterOperand())
  }

  private list(): Expr {
    const position = this.at(this.tokens.next().start)
    const elements: Expr[] = []
    const optional: number[] = []
    this.tokens.expect(new Set([...operandStarts, "'?'", "','", "']'"]))
    while (this.startsElement("']'")) {
      const question = this.tokens.take("'?'")
      if (question !== undefined) {
        if (this.optionalSyntax) optional.push(elements.length)
        else this.report(this.at(question.start), "unsupported syntax '?'")
      }
      elements.push(this.within(["','", "']'"], () => this.expression()))
      this.tokens.expect(new Set<TokenKind>(["','", "']'"]))
      if (this.tokens.take("','") === undefined) break
    }
    this.close("']'")
    return this.nodes.list(position, elements, optional)
  }

  /** Whether an element comes next. A comma before the end is passed over: `[,]` and `{,}` are empty. */
  private startsElement(end: TokenKind): boolean {
    if (this.tokens.peek().kind === "','" && this.tokens.peek(1).kind === end) this.tokens.next()
    const { kind } = this.tokens.peek()
    return operandStarts.has(kind) || kind === "'?'"
  }

  private map(): Expr {
    const position = this.at(this.tokens.next().start)
    const entries: MapEntry[] = []
    this.tokens.expect(new Set([...operandStarts, "'?'", "','", "'}'"]))
    while (this.startsElement("'}'")) {
      const question = this.tokens.take("'?'")
      if (question !== undefined && !this.optionalSyntax) this.report(this.at(question.start), "unsupported syntax '?'")
      const key = this.within(["':'"], () => this.expression())
      const colon = this.tokens.match("':'", operandStarts)
      const value = this.within(["','", "'}'"], () => this.expression())
      const at = this.at(colon.start)
      entries.push({ id: this.nodes.id(), position: at, key, value, optional: question !== undefined })
      this.tokens.expect(new Set<TokenKind>(["','", "'}'"]))
      if (this.tokens.take("','") === undefined) break
    }
    this.close("'}'")
    return this.nodes.map(position, entries)
  }

  /** Names and dots come next, and then a `{`. */
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
    const position = this.at(this.tokens.next().start)
    const entries: FieldEntry[] = []
    this.tokens.expect(new Set<TokenKind>(["IDENTIFIER", "'?'", "','", "'}'"]))
    while (this.startsElement("'}'")) {
      const optional = this.tokens.take("'?'") !== undefined
      const field = this.tokens.match("IDENTIFIER", new Set<TokenKind>(["':'"]))
      const colon = this.tokens.match("':'", operandStarts)
      if (optional && !this.optionalSyntax) this.report(this.at(field.start), "unsupported syntax '?'")
      const value = this.within(["','", "'}'"], () => this.expression())
      entries.push({ id: this.nodes.id(), position: this.at(colon.start), field: field.text, value, optional })
      this.tokens.expect(new Set<TokenKind>(["','", "'}'"]))
      if (this.tokens.take("','") === undefined) break
    }
    this.close("'}'")
    return this.nodes.struct(position, name, entries)
  }

  private name(): Expr {
    const first = this.tokens.peek()
    const dot = this.tokens.take("'.'") === undefined ? "" : "."
    const name = this.tokens.match("IDENTIFIER", new Set([...operators, "'('", ...this.followers]))
    if (reserved.has(name.text)) this.report(this.at(first.start), `reserved identifier: ${name.text}`)
    const open = this.tokens.take("'('")
    if (open === undefined) return this.nodes.ident(this.at(name.start), dot + name.text)
    return this.callOrMacro(this.at(open.start), dot + name.text, this.args())
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

  private callOrMacro(position: Position, name: string, args: readonly Expr[], target?: Expr): Expr {
    const expansion = this.macros.expand(this.nodes, position, name, target, args)
    if (expansion === undefined) return this.nodes.call(position, name, args, target)
    return "message" in expansion ? this.report(expansion.at.position, expansion.message) : expansion
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

  /** Reports a fault of something that can be read. The node that it returns is never checked. */
  protected report(position: Position, message: string): Expr {
    this.issues.push({ line: position.line, column: position.column, message })
    return this.nodes.constant(position, { type: "null" })
  }
}

/** The constant of a literal, or its fault. */
function constantOf({ kind, text }: Token, negative: boolean): Constant | string {
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
