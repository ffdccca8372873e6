/** Reads an expression into its tree, and expands macros on the way. */
import type { Issue } from "../issue.ts"
import { balanced, type LogicalTerm } from "./balance.ts"
import { Depths, RecursionFault } from "./depths.ts"
import type { InfixOperator } from "../declaration.ts"
import type { CallExpr, Expr, Position } from "./expr.ts"
import { type Macro, MacroTable } from "./macro.ts"
import { primaryStarts } from "./kinds.ts"
import { type Mark, Nodes } from "./nodes.ts"
import { PrimaryParser } from "./primary.ts"
import { Source } from "./source.ts"
import { SyntaxFault, TokenStream } from "./token-stream.ts"
import type { TokenKind } from "./token.ts"

export interface ParseLimits {
  /** How deep a rule of the grammar may nest; 250 by default. */
  readonly recursion?: number
  /** In code points; 100,000 by default. */
  readonly size?: number
}

export interface ParseOptions {
  readonly macros?: readonly Macro[] | MacroTable
  /** `.?`, `[?]` and `{?k: v}` are read. */
  readonly optionalSyntax?: boolean
  readonly operators?: readonly InfixOperator[]
  readonly limits?: ParseLimits
}

export interface ParsedTree {
  readonly expr: Expr
  /** The calls that macros replaced, by the identifier of the replacement. */
  readonly macroCalls: ReadonlyMap<number, CallExpr>
  /** Identifiers of nodes that are written in parentheses. */
  readonly enclosed: ReadonlySet<number>
}

export type Parsed = ParsedTree | { readonly issues: readonly Issue[] }

/** Nowhere in the text. */
const nowhere = { line: -1, column: -1 }
const recursionMax = 250
const sizeMax = 100_000

/** Parses a source. Issues are in the reference's words; `Source.format` adds the lines they point at. */
export function parse(source: string | Source, options: ParseOptions = {}): Parsed {
  const text = typeof source === "string" ? new Source(source) : source
  const size = text.position(text.text.length).offset
  const limit = options.limits?.size ?? sizeMax
  if (size > limit) {
    return { issues: [{ ...nowhere, message: `expression code point size exceeds limit: size: ${size}, limit ${limit}` }] }
  }
  const issues: Issue[] = []
  const parser = new Parser(text, issues, options)
  const expr = parser.parse()
  if (expr === undefined || issues.length > 0) return { issues }
  return { expr, macroCalls: parser.macroCalls, enclosed: parser.enclosed }
}

type Strengths = ReadonlyMap<TokenKind, number>

/** All have one strength and associate to the left: `a < b == c` is `(a < b) == c`. */
const relations: Strengths = new Map((["'<'", "'<='", "'>='", "'>'", "'=='", "'!='", "'in'"] as const).map((kind) => [kind, 1]))
const calculations: Strengths = new Map<TokenKind, number>([
  ["'*'", 2],
  ["'/'", 2],
  ["'%'", 2],
  ["'+'", 1],
  ["'-'", 1],
])

/** `_+_` for `+`. */
function operatorName(text: string): string {
  return text === "in" ? "@in" : `_${text}_`
}

const binaryOperator = /^(?:_(?:[-+*/%<>]|[=<>!]=|&&|\|\|)_|@in)$/

/** Whether the token may follow a sign: another sign, or a primary. */
function isSigned(kind: TokenKind): boolean {
  return kind === "'-'" || primaryStarts.has(kind)
}

export class Parser extends PrimaryParser {
  /** Functions of declared operators by their symbol. */
  private readonly declared: ReadonlyMap<string, string>

  constructor(source: Source, issues: Issue[], { macros = [], optionalSyntax = false, operators = [], limits }: ParseOptions) {
    const table = macros instanceof MacroTable ? macros : new MacroTable(macros)
    const symbols = operators.map(({ symbol }) => symbol)
    const tokens = new TokenStream(source, issues, symbols)
    super(source, issues, tokens, new Nodes(), table, optionalSyntax, new Depths(limits?.recursion ?? recursionMax))
    this.declared = new Map(operators.map((operator) => [operator.symbol, operator.function]))
  }

  /** The whole source as one expression; undefined when it cannot be read. */
  parse(): Expr | undefined {
    try {
      const expr = this.within(["<EOF>"], () => this.expression())
      this.tokens.match("<EOF>", new Set())
      return expr
    } catch (cause) {
      if (cause instanceof RecursionFault) this.issues.push({ ...nowhere, message: cause.message })
      else if (!(cause instanceof SyntaxFault)) throw cause
      return undefined
    }
  }

  protected override expression(): Expr {
    this.depths.enter("expr")
    const condition = this.declaredOperators()
    const question = this.tokens.take("'?'")
    const result =
      question === undefined ? condition : this.recovered(() => this.conditional(condition, this.nodes.mark(this.at(question.start))))
    this.depths.leave("expr")
    return result
  }

  private conditional(condition: Expr, operator: Mark): Expr {
    const yes = this.within(["':'"], () => this.declaredOperators())
    this.tokens.match("':'", this.operandStarts)
    const no = this.expression()
    return this.nodes.call(operator, "_?_:_", [condition, yes, no])
  }

  /** Operators that libraries declare bind less than all others but `?:`. */
  private declaredOperators(): Expr {
    let left = this.logicalOr()
    for (let token = this.tokens.take("OPERATOR"); token !== undefined; token = this.tokens.take("OPERATOR")) {
      const operator = this.nodes.mark(this.at(token.start))
      const right = this.logicalOr()
      for (const side of [left, right]) this.refuseMixture(side, token.text, operator.position)
      left = this.nodes.call(operator, this.declared.get(token.text) ?? token.text, [left, right])
    }
    return left
  }

  /** The precedence in `a ?? 0 > 1` is not obvious to a reader, so it needs parentheses. */
  private refuseMixture(side: Expr, symbol: string, position: Position): void {
    const operator = side.kind === "call" && side.args.length === 2 ? binaryOperator.exec(side.function)?.[0] : undefined
    if (operator === undefined || this.enclosed.has(side.id)) return
    this.report(position, `operator '${symbol}' beside '${operator.replace(/^[_@]|_$/g, "")}' needs parentheses`)
  }

  private logicalOr(): Expr {
    return this.chain("'||'", "_||_", () => this.logicalAnd())
  }

  private logicalAnd(): Expr {
    return this.chain("'&&'", "_&&_", () => this.relation())
  }

  private chain(kind: TokenKind, operator: string, operand: () => Expr): Expr {
    const first = operand()
    const rest: LogicalTerm[] = []
    for (let token = this.tokens.take(kind); token !== undefined; token = this.tokens.take(kind)) {
      const term = operand()
      rest.push({ term, operator: this.nodes.mark(this.at(token.start)) })
    }
    return balanced(this.nodes, operator, first, rest)
  }

  private relation(): Expr {
    return this.binary("relation", relations, 0, () => this.binary("calc", calculations, 0, () => this.unary()))
  }

  /** Operators of at least a strength, left-associative. Each counts as one step of depth until the chain ends. */
  private binary(rule: string, operators: Strengths, weakest: number, operand: () => Expr): Expr {
    this.depths.enter(rule)
    let steps = 1
    let left = operand()
    for (;;) {
      const token = this.tokens.peek()
      const strength = operators.get(token.kind)
      if (strength === undefined || strength < weakest) break
      this.tokens.next()
      this.depths.enter(rule)
      steps++
      const operator = this.nodes.mark(this.at(token.start))
      const right = this.binary(rule, operators, strength + 1, operand)
      left = this.nodes.call(operator, operatorName(token.text), [left, right])
    }
    this.depths.leave(rule, steps)
    return left
  }

  private unary(): Expr {
    return this.recovered(() => this.unguarded())
  }

  private unguarded(): Expr {
    this.tokens.expect(this.operandStarts)
    const first = this.tokens.peek()
    if (first.kind === "'!'") return this.prefixed("'!'", "!_")
    const second = this.tokens.peek(1)
    if (first.kind === "'-'" && !isSigned(second.kind)) return this.tokens.notViable(first, second)
    if (first.kind === "'-'" && !this.isNumber(1)) return this.prefixed("'-'", "-_")
    return this.member()
  }

  /** Pairs of signs or negations cancel each other. */
  private prefixed(kind: TokenKind, operator: string): Expr {
    const { start } = this.tokens.peek()
    let count = 0
    while (this.tokens.peek().kind === kind && !(kind === "'-'" && count === 0 && this.isNumber(1))) {
      this.tokens.next()
      count++
    }
    if (count % 2 === 0) return this.member()
    const mark = this.nodes.mark(this.at(start))
    return this.nodes.call(mark, operator, [this.member()])
  }
}
