/**
 * Expressions of the dialect as trees of CEL: bare names become fields of `self`, `has` and `??` ask for what was sent,
 * macros are expanded. CEL's checker and its evaluator take the result.
 */
import {
  type CallExpr,
  type CelType,
  type Compiled,
  dynType,
  Environment,
  type Expr,
  type Field,
  type Library,
  MacroTable,
  Nodes,
  objectType,
  optionalLibrary,
  parse,
  type Refused,
  Source,
  standardMacros,
} from "../../cel/index.ts"
import type { ExpressionScope, StructSource } from "./checked.ts"
import { expressionFunctions } from "./functions.ts"
import { celTypeOf, dialectLibrary } from "./library.ts"
import { dialectOperators, macroNamed } from "./read.ts"
import type { ExpressionType } from "./types.ts"

const macros = new MacroTable(standardMacros)
const names = ["self", "root", "oldSelf", "oldRoot"] as const

/** Compiles expressions with CEL. Make one for many expressions of the same schemas. */
export class DialectCompiler {
  private readonly environment: Environment
  private readonly objects = new Map<string, CelType>()

  constructor(
    private readonly structs: StructSource,
    library: Library = dialectLibrary(),
  ) {
    this.environment = new Environment({ libraries: [optionalLibrary, library], strictLiterals: false })
  }

  /** The text was read by `parseExpression` without a fault. Variables are `self`, `root`, `oldSelf` and `oldRoot`. */
  compile(text: string, { self, root }: Pick<ExpressionScope, "self" | "root">): Compiled | Refused {
    const source = new Source(text)
    const parsed = parse(source, { operators: dialectOperators })
    if ("issues" in parsed) return this.environment.compile(text)
    const variables = { self: this.type(self), oldSelf: this.type(self), root: this.type(root), oldRoot: this.type(root) }
    return this.environment.extend({ variables }).compileTree(source, resolved(parsed.expr, new Nodes(), new Set(names)))
  }

  private type(type: ExpressionType): CelType {
    return celTypeOf(type, (name) => this.object(name))
  }

  /** Types refer to each other: an object is known before its fields. */
  private object(name: string): CelType {
    const known = this.objects.get(name)
    if (known !== undefined) return known
    const fields = new Map<string, Field>()
    const made = this.structs.open(name) ? dynType : objectType(name, fields)
    this.objects.set(name, made)
    if (made === dynType) return made
    for (const property of this.structs.names(name)) {
      const info = this.structs.field(name, property)
      if (info !== undefined) fields.set(property, { property, type: this.type(info.type) })
    }
    return made
  }
}

/** The tree with names resolved. `known`: names that are variables. */
function resolved(expr: Expr, nodes: Nodes, known: ReadonlySet<string>): Expr {
  const inner = (part: Expr): Expr => resolved(part, nodes, known)
  const { position } = expr
  switch (expr.kind) {
    case "constant":
      return nodes.constant(position, expr.constant)
    case "ident":
      return known.has(expr.name) ? nodes.ident(position, expr.name) : nodes.select(position, nodes.ident(position, "self"), expr.name)
    case "select":
      return nodes.select(position, inner(expr.operand), expr.field)
    case "list":
      return nodes.list(position, expr.elements.map(inner))
    case "map":
      return nodes.map(position, [])
    case "call":
      return call(expr, nodes, known)
    case "struct":
    case "fold":
      return expr
  }
}

function call(expr: CallExpr, nodes: Nodes, known: ReadonlySet<string>): Expr {
  const { position, target } = expr
  const macro = macroNamed(expr.function)
  const [variable, body] = expr.args
  if (macro !== undefined && target !== undefined && variable?.kind === "ident" && body !== undefined) {
    const args = [nodes.ident(position, variable.name), resolved(body, nodes, new Set([...known, variable.name]))]
    const expansion = macros.expand(nodes, position, macro === "existsOne" ? "exists_one" : macro, resolved(target, nodes, known), args)
    if (expansion === undefined || "message" in expansion) throw new TypeError(`the macro ${macro} was not expanded`)
    return expansion
  }
  const given = [...(target === undefined ? [] : [target]), ...expr.args].map((arg) => resolved(arg, nodes, known))
  const [first, ...rest] = given
  if (first === undefined) return nodes.call(position, expr.function, [])
  if (expr.function === "has") return first.kind === "select" ? { ...first, test: true } : nodes.call(position, "@has", [first])
  if (expr.function === "_??_") return nodes.call(position, "_??_", [asSent(first, nodes), ...rest])
  const isMember = expressionFunctions.get(expr.function)?.form === "method"
  return isMember ? nodes.call(position, expr.function, rest, first) : nodes.call(position, expr.function, given)
}

/** A field or an entry as it was sent: an optional value. */
function asSent(expr: Expr, nodes: Nodes): Expr {
  const { position } = expr
  if (expr.kind === "select" && !expr.test)
    return nodes.call(position, "_?._", [expr.operand, nodes.constant(position, { type: "string", value: expr.field })])
  return expr.kind === "call" && expr.function === "_[_]" ? nodes.call(position, "_[?_]", expr.args) : expr
}
