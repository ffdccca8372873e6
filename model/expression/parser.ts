/**
 * Parser of the expression language (docs/DIALECT.md, "Expressions"): a subset of CEL's syntax, plus `??`.
 *
 * Precedence, lowest first: `?:`, `??`, `||`, `&&`, comparisons and `in`, `+ -`, `* / %`, `! -` (unary), `.x [x] f(x)`.
 * `a ?? b == c` is ambiguous, so `??` beside another binary operator needs parentheses; the error says so.
 */
import type { ExpressionTree } from "../model.ts"
import { expressionFunctions, isMacro, macros, usage } from "./functions.ts"
import { memberHabit, nameHabit, operatorHabit, unknownFunction } from "./habits.ts"
import { ExpressionError, type ExpressionFault, type Token, tokenize } from "./lexer.ts"

export type ParsedExpression =
  | { readonly tree: ExpressionTree; readonly positions: ExpressionPositions }
  | { readonly fault: ExpressionFault }

/**
 * Where each node of a tree begins, as an offset into the text: the operator of a binary, the name of a select or call.
 */
export type ExpressionPositions = ReadonlyMap<ExpressionTree, number>

/** Limit for nested parentheses, lists and calls: an error instead of a stack overflow. */
const maxDepth = 64

/**
 * Called by the loader for each expression of a schema. Pure. Returns the first error of an invalid text, never throws
 * it.
 */
export function parseExpression(text: string): ParsedExpression {
  try {
    const parser = new Parser(tokenize(text))
    const tree = parser.whole()
    return { tree, positions: parser.positions }
  } catch (error) {
    if (error instanceof ExpressionError) return { fault: error.fault }
    throw error
  }
}

/** One row per precedence level, lowest first; all are left-associative. */
const binaryLevels: readonly (readonly string[])[] = [
  ["??"],
  ["||"],
  ["&&"],
  ["<", "<=", ">", ">=", "==", "!=", "in"],
  ["+", "-"],
  ["*", "/", "%"],
]
const comparisonLevel = 3

class Parser {
  readonly positions = new Map<ExpressionTree, number>()
  private next = 0
  private depth = 0
  /** Trees in parentheses: they may be mixed with `??`. */
  private readonly enclosed = new Set<ExpressionTree>()

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): ExpressionTree {
    const tree = this.expression()
    if (this.token.kind !== "end") this.failAfter(tree)
    return tree
  }

  private get token(): Token {
    const token = this.tokens[this.next] ?? this.tokens[this.tokens.length - 1]
    if (token === undefined) throw new ExpressionError({ offset: 0, found: "nothing", expected: "an expression" })
    return token
  }

  private fail(expected: string, near?: string): never {
    const { kind, text, offset } = this.token
    throw new ExpressionError({
      offset,
      found: kind === "text" ? JSON.stringify(text) : text,
      expected,
      ...(near !== undefined && { nearest: near }),
    })
  }

  /** The expression could end here, and something follows that is no operator. */
  private failAfter(tree: ExpressionTree): never {
    const { kind, text } = this.token
    const habit = kind === "name" ? operatorHabit(text, tree.node === "name" ? tree.name : undefined) : undefined
    if (habit !== undefined) this.fail(habit.expected, habit.nearest)
    if (kind === "symbol" && (text === ")" || text === "]" || text === "}")) this.fail(`no ${text} here: nothing is open`)
    if (kind === "symbol" && text === "(") this.fail("the name of a function before the parenthesis")
    this.fail("an operator or the end of the expression")
  }

  private advance(): Token {
    const token = this.token
    this.next += 1
    return token
  }

  private isSymbol(text: string): boolean {
    return this.token.kind === "symbol" && this.token.text === text
  }

  private accept(text: string): boolean {
    if (!this.isSymbol(text)) return false
    this.next += 1
    return true
  }

  private require(symbol: string, after: string): void {
    if (this.accept(symbol)) return
    const habit = this.token.kind === "name" ? operatorHabit(this.token.text) : undefined
    if (habit !== undefined) this.fail(habit.expected, habit.nearest)
    this.fail(`"${symbol}" ${after}`)
  }

  private at(offset: number, tree: ExpressionTree): ExpressionTree {
    this.positions.set(tree, offset)
    return tree
  }

  private expression(): ExpressionTree {
    this.depth += 1
    if (this.depth > maxDepth) this.fail(`an expression nested at most ${maxDepth} deep`)
    const test = this.binary(0)
    const { offset } = this.token
    let tree = test
    if (this.accept("?")) {
      const then = this.expression()
      this.require(":", "and the value otherwise")
      tree = this.at(offset, { node: "conditional", test, then, otherwise: this.expression() })
    }
    this.depth -= 1
    return tree
  }

  private binary(level: number): ExpressionTree {
    const operators = binaryLevels[level]
    if (operators === undefined) return this.unary()
    let left = this.binary(level + 1)
    let compared = false
    while (this.token.kind !== "text" && operators.includes(this.token.text)) {
      if (level === comparisonLevel && compared) this.fail("&& between two comparisons: a < b && b < c")
      compared = true
      const operator = this.token
      this.next += 1
      const right = this.binary(level + 1)
      if (operator.text === "??") this.refuseMixture(operator, left, right)
      left = this.at(operator.offset, { node: "binary", operator: operator.text, left, right })
    }
    return left
  }

  private refuseMixture(operator: Token, left: ExpressionTree, right: ExpressionTree): void {
    for (const side of [left, right]) {
      if (side.node !== "binary" || side.operator === "??" || this.enclosed.has(side)) continue
      throw new ExpressionError({
        offset: operator.offset,
        found: `?? beside ${side.operator}`,
        expected: `parentheses that say which binds first: (a ?? b) ${side.operator} c`,
      })
    }
  }

  private unary(): ExpressionTree {
    const { offset, text, kind } = this.token
    if (kind !== "symbol" || (text !== "!" && text !== "-")) return this.postfix()
    this.next += 1
    this.depth += 1
    if (this.depth > maxDepth) this.fail(`an expression nested at most ${maxDepth} deep`)
    const of = this.unary()
    this.depth -= 1
    if (text === "-" && of.node === "literal" && typeof of.value === "number") return this.at(offset, { ...of, value: -of.value })
    return this.at(offset, { node: "unary", operator: text, of })
  }

  private postfix(): ExpressionTree {
    let tree = this.primary()
    for (;;) {
      if (this.accept(".")) tree = this.member(tree)
      else if (this.isSymbol("[")) tree = this.index(tree)
      else return tree
    }
  }

  private index(of: ExpressionTree): ExpressionTree {
    const { offset } = this.advance()
    if (this.isSymbol("]")) this.fail("an index such as [0], or a macro such as .all(item, ...), .map(item, ...)")
    const index = this.expression()
    this.require("]", "after the index")
    return this.at(offset, { node: "index", of, index })
  }

  private member(of: ExpressionTree): ExpressionTree {
    if (this.isSymbol(".") && of.node === "literal") this.fail("two comparisons for a range: 1 <= a && a <= 5")
    if (this.token.kind !== "name") this.fail("a field or function name after the dot")
    const name = this.advance()
    const habit = memberHabit(name.text, this.isSymbol("("))
    if (habit !== undefined) throw new ExpressionError({ offset: name.offset, found: `.${name.text}`, ...habit })
    if (!this.isSymbol("(")) return this.at(name.offset, { node: "select", of, field: name.text })
    if (isMacro(name.text)) return this.macro(name, of)
    return this.call(name, of)
  }

  private macro(name: Token, of: ExpressionTree): ExpressionTree {
    this.require("(", "after the macro")
    if (this.token.kind !== "name") this.fail(`a variable name: list.${name.text}(item, ...)`)
    const variable = this.advance().text
    this.require(",", `between a variable and what it does: list.${name.text}(item, ...)`)
    const body = this.expression()
    if (this.isSymbol(",")) this.fail("one variable and one expression: over a map the variable is the key, and map[key] its value")
    this.require(")", `after the body of ${name.text}`)
    if (!isMacro(name.text)) return this.fail(`one of ${macros.join(", ")}`)
    return this.at(name.offset, { node: "macro", macro: name.text, of, variable, body })
  }

  private call(name: Token, target?: ExpressionTree): ExpressionTree {
    const known = expressionFunctions.get(name.text)
    if (known === undefined) throw new ExpressionError({ offset: name.offset, ...unknownFunction(name.text, target !== undefined) })
    const given = [...(target === undefined ? [] : [target]), ...this.arguments()]
    const subjects = known.form === "method" ? 1 : 0
    const count = given.length - subjects
    if (count < known.minimum || count > known.maximum) {
      throw new ExpressionError({
        offset: name.offset,
        found: `${name.text} with ${plural(Math.max(count, 0), "argument")}`,
        expected: usage(name.text),
      })
    }
    const [subject, ...rest] = given
    const callForm = known.form === "call" || subject === undefined
    const tree: ExpressionTree = callForm
      ? { node: "call", function: name.text, arguments: given }
      : { node: "call", function: name.text, target: subject, arguments: rest }
    return this.at(name.offset, tree)
  }

  private arguments(): ExpressionTree[] {
    this.require("(", "after the function")
    return this.items(")", "after the arguments")
  }

  private items(close: string, after: string): ExpressionTree[] {
    const items: ExpressionTree[] = []
    if (this.accept(close)) return items
    do items.push(this.expression())
    while (this.accept(","))
    this.require(close, after)
    return items
  }

  private primary(): ExpressionTree {
    const token = this.token
    if (token.kind === "number" || token.kind === "text") {
      this.next += 1
      const literal: ExpressionTree = { node: "literal", value: token.value ?? token.text }
      return this.at(token.offset, token.double === true ? { ...literal, double: true } : literal)
    }
    if (token.kind === "name" && token.text !== "in") return this.name()
    if (this.accept("(")) {
      const tree = this.expression()
      if (this.isSymbol(",")) this.fail('")" to close the parenthesis; a list is written in brackets: [a, b]')
      this.require(")", "to close the parenthesis")
      this.enclosed.add(tree)
      return tree
    }
    if (this.accept("[")) return this.at(token.offset, { node: "list", items: this.items("]", "to close the list") })
    if (this.accept("{")) {
      if (this.isSymbol(".")) this.fail("the path without braces and a dot in front: spec.size")
      this.require("}", "right after it: {} is the empty object, and the only one that can be written")
      return this.at(token.offset, { node: "literal", value: {} })
    }
    if (this.isSymbol(".")) return this.fail("the path without a dot in front: spec.size")
    if (this.isSymbol("/")) return this.fail('a value; patterns are texts: name.matches("^a")')
    if (this.isSymbol("*")) return this.fail("an index such as [0], or a macro such as .all(item, ...), .map(item, ...)")
    return this.fail("a name, a literal, a list or a parenthesis")
  }

  private name(): ExpressionTree {
    const token = this.advance()
    const habit = nameHabit(token.text, this.token)
    if (habit !== undefined) throw new ExpressionError({ offset: token.offset, found: token.text, ...habit })
    if (token.text === "true" || token.text === "false") return this.at(token.offset, { node: "literal", value: token.text === "true" })
    if (token.text === "null") return this.at(token.offset, { node: "literal", value: null })
    if (!this.isSymbol("(")) return this.at(token.offset, { node: "name", name: token.text })
    if (!isMacro(token.text)) return this.call(token)
    throw new ExpressionError({
      offset: token.offset,
      found: `${token.text}(`,
      expected: `a list before it: list.${token.text}(item, ...)`,
    })
  }
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
