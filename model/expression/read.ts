/**
 * Reads expressions of the dialect with the parser of CEL. The dialect's additions are declared: `??`, functions with
 * their subject in front or in parentheses, `existsOne`. Its trees keep macros as they are written.
 */
import { type CallExpr, type Expr, type InfixOperator, type ParsedTree, parse, Source } from "../../cel/index.ts"
import type { ExpressionTree } from "../model.ts"
import { expressionFunctions, isMacro, type Macro, usage } from "./functions.ts"
import { memberHabit, unknownFunction } from "./habits.ts"
import { type ExpressionFault, pathHint, syntaxFault } from "./syntax-faults.ts"

export type ParsedExpression =
  | { readonly tree: ExpressionTree; readonly positions: ExpressionPositions }
  | { readonly fault: ExpressionFault }

/**
 * Where each node of a tree begins, as an offset into the text: the operator of a binary, the name of a select or call.
 */
export type ExpressionPositions = ReadonlyMap<ExpressionTree, number>

/** The operators that the dialect adds to CEL. */
export const dialectOperators: readonly InfixOperator[] = [{ symbol: "??", function: "_??_" }]

/** Limit for nested parentheses, lists and calls. */
const recursion = 64

/**
 * Called by the loader for each expression of a schema. Pure. Returns the first error of an invalid text, never throws
 * it.
 */
export function parseExpression(text: string): ParsedExpression {
  const source = new Source(text)
  const parsed = parse(source, { operators: dialectOperators, limits: { recursion } })
  if ("issues" in parsed) return { fault: syntaxFault(text, parsed.issues) }
  const reader = new TreeReader(text, parsed)
  try {
    return { tree: reader.tree(parsed.expr), positions: reader.positions }
  } catch (error) {
    if (error instanceof ExpressionError) return { fault: error.fault }
    throw error
  }
}

/** Carries a fault up to `parseExpression`. */
class ExpressionError extends Error {
  constructor(readonly fault: ExpressionFault) {
    super(fault.expected)
  }
}

const chains: Readonly<Record<string, string>> = { "_&&_": "&&", "_||_": "||" }
const comparisons: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!=", "in"])

class TreeReader {
  readonly positions = new Map<ExpressionTree, number>()
  /** The text has characters of two units, and positions count characters. */
  private readonly characters: readonly string[] | undefined

  constructor(
    private readonly text: string,
    private readonly parsed: ParsedTree,
  ) {
    this.characters = /[\ud800-\udbff]/.test(text) ? Array.from(text) : undefined
  }

  tree(expr: Expr): ExpressionTree {
    switch (expr.kind) {
      case "constant":
        return this.constant(expr)
      case "ident":
        return this.at(this.offset(expr), { node: "name", name: this.plainName(expr) })
      case "select":
        return this.at(this.nameAfter(this.offset(expr)), { node: "select", of: this.tree(expr.operand), field: expr.field })
      case "call":
        return this.call(expr)
      case "list":
        return this.at(this.offset(expr), { node: "list", items: expr.elements.map((item) => this.tree(item)) })
      case "map": {
        const [entry] = expr.entries
        if (entry !== undefined)
          this.fail(this.start(entry.key), this.written(entry.key), "{}: the empty object is the only one that can be written")
        return this.at(this.offset(expr), { node: "literal", value: {} })
      }
      case "struct":
        return this.fail(this.offset(expr), `${expr.name}{`, "{}: the empty object is the only one that can be written")
      case "fold":
        throw new TypeError("a macro was expanded")
    }
  }

  private at(offset: number, tree: ExpressionTree): ExpressionTree {
    this.positions.set(tree, offset)
    return tree
  }

  private fail(offset: number, found: string, expected: string): never {
    throw new ExpressionError({ offset, found, expected })
  }

  private offset({ position }: Pick<Expr, "position">): number {
    return this.characters === undefined ? position.offset : this.characters.slice(0, position.offset).join("").length
  }

  /** Where the text of a node begins: operators and calls have their position behind their first operand. */
  private start(expr: Expr): number {
    const first = expr.kind === "select" ? expr.operand : expr.kind === "call" ? (expr.target ?? expr.args[0]) : undefined
    return first === undefined ? this.offset(expr) : Math.min(this.start(first), this.offset(expr))
  }

  /** Where the name after a dot begins. */
  private nameAfter(dot: number): number {
    return dot + 1 + (/^\s*/.exec(this.text.slice(dot + 1))?.[0].length ?? 0)
  }

  /** Where the name of a call begins: the call is at its parenthesis. */
  private nameBefore(parenthesis: number): number {
    return parenthesis - (/\w+\s*$/.exec(this.text.slice(0, parenthesis))?.[0].length ?? 0)
  }

  /** The first word or symbol of a node. */
  private written(expr: Expr): string {
    return /^(?:"[^"]*"|'[^']*'|\w+|.)/.exec(this.text.slice(this.start(expr)))?.[0] ?? ""
  }

  private plainName(expr: Expr & { kind: "ident" }): string {
    const dot = this.text.lastIndexOf(".", this.offset(expr))
    if (expr.name.startsWith(".")) this.fail(dot, ".", pathHint(this.text, dot))
    return expr.name
  }

  private constant(expr: Expr & { kind: "constant" }): ExpressionTree {
    const { constant } = expr
    const offset = this.offset(expr)
    switch (constant.type) {
      case "null":
        return this.at(offset, { node: "literal", value: null })
      case "int": {
        const value = Number(constant.value)
        if (!Number.isSafeInteger(value)) this.fail(offset, String(constant.value), "a whole number within 2^53")
        return this.at(offset, { node: "literal", value })
      }
      case "double":
        return this.at(offset, { node: "literal", value: constant.value, double: true })
      case "string":
      case "bool":
        return this.at(offset, { node: "literal", value: constant.value })
      case "uint":
        return this.fail(offset, `${constant.value}u`, "a number without u: fields of schemas are signed")
      case "bytes":
        return this.fail(offset, this.written(expr), "a text without b")
    }
  }

  private call(expr: CallExpr): ExpressionTree {
    const [first, second, third] = expr.args
    if (expr.target !== undefined || first === undefined) return this.named(expr)
    if (second === undefined) {
      const operator = expr.function === "!_" ? "!" : expr.function === "-_" ? "-" : undefined
      return operator === undefined ? this.named(expr) : this.at(this.offset(expr), { node: "unary", operator, of: this.tree(first) })
    }
    const chain = chains[expr.function]
    if (chain !== undefined) return this.chain(expr, chain)
    if (expr.function === "_[_]") return this.at(this.offset(expr), { node: "index", of: this.tree(first), index: this.tree(second) })
    if (expr.function === "_?_:_" && third !== undefined)
      return this.at(this.offset(expr), {
        node: "conditional",
        test: this.tree(first),
        then: this.tree(second),
        otherwise: this.tree(third),
      })
    const operator = operatorOf(expr)
    if (operator === undefined) return this.named(expr)
    const chained = comparisons.has(operator) && first.kind === "call" && comparisons.has(operatorOf(first) ?? "")
    if (chained && !this.parsed.enclosed.has(first.id)) this.fail(this.offset(expr), operator, "&& between two comparisons: a < b && b < c")
    return this.at(this.offset(expr), { node: "binary", operator, left: this.tree(first), right: this.tree(second) })
  }

  /** CEL balances `a && b && c`; the dialect's tree follows the text, from the left. */
  private chain(expr: CallExpr, operator: string): ExpressionTree {
    const terms: Expr[] = []
    const offsets: number[] = []
    const walk = (one: Expr): void => {
      const [left, right] = one.kind === "call" && one.function === expr.function && !this.isEnclosedIn(one, expr) ? one.args : []
      if (left === undefined || right === undefined) {
        terms.push(one)
        return
      }
      walk(left)
      offsets.push(this.offset(one))
      walk(right)
    }
    walk(expr)
    const [first, ...rest] = terms.map((term) => this.tree(term))
    if (first === undefined) throw new TypeError("a chain without terms")
    return rest.reduce((left, right, index) => this.at(offsets[index] ?? 0, { node: "binary", operator, left, right }), first)
  }

  private isEnclosedIn(one: Expr, chain: Expr): boolean {
    return one !== chain && this.parsed.enclosed.has(one.id)
  }

  /** A function or a macro by its name. */
  private named(expr: CallExpr): ExpressionTree {
    const offset = this.nameBefore(this.offset(expr))
    const name = expr.function
    const isMethod = expr.target !== undefined
    const habit = isMethod ? memberHabit(name, true) : undefined
    if (habit !== undefined) throw new ExpressionError({ offset, found: `.${name}`, ...habit })
    const macro = macroNamed(name)
    if (macro !== undefined) return this.macro(expr, macro, offset)
    const subject = expr.target === undefined ? undefined : this.tree(expr.target)
    const known = expressionFunctions.get(name)
    if (known === undefined) throw new ExpressionError({ offset, ...unknownFunction(name, isMethod) })
    const given = [...(subject === undefined ? [] : [subject]), ...expr.args.map((one) => this.tree(one))]
    const count = given.length - (known.form === "method" ? 1 : 0)
    if (count < known.minimum || count > known.maximum)
      this.fail(offset, `${name} with ${plural(Math.max(count, 0), "argument")}`, usage(name))
    const [first, ...rest] = given
    if (known.form === "call" || first === undefined) return this.at(offset, { node: "call", function: name, arguments: given })
    return this.at(offset, { node: "call", function: name, target: first, arguments: rest })
  }

  private macro({ target, args }: CallExpr, macro: Macro, offset: number): ExpressionTree {
    const [variable, body, ...more] = args
    if (target === undefined) this.fail(offset, `${macro}(`, `a list before it: list.${macro}(item, ...)`)
    if (variable?.kind !== "ident")
      return variable === undefined
        ? this.fail(offset, `${macro}()`, `a variable name: list.${macro}(item, ...)`)
        : this.fail(this.start(variable), this.written(variable), `a variable name: list.${macro}(item, ...)`)
    if (body === undefined) return this.fail(offset, `${macro}(${variable.name})`, `a variable and what it does: list.${macro}(item, ...)`)
    const [extra] = more
    if (extra !== undefined)
      this.fail(
        this.start(extra),
        this.written(extra),
        "one variable and one expression: over a map the variable is the key, and map[key] its value",
      )
    return this.at(offset, { node: "macro", macro, of: this.tree(target), variable: variable.name, body: this.tree(body) })
  }
}

/** `exists_one` is CEL's name. */
export function macroNamed(name: string): Macro | undefined {
  return name === "exists_one" ? "existsOne" : isMacro(name) ? name : undefined
}

function operatorOf({ function: name }: CallExpr): string | undefined {
  return name === "@in" ? "in" : /^_([^\w[?:]+|\?\?)_$/.exec(name)?.[1]
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
