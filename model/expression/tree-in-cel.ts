/**
 * Expressions of the dialect as trees of CEL: bare names become fields of `self`, `has` and `??` test the value as it
 * was sent, macros are expanded. CEL's checker and its evaluator take the result.
 */
import { type Expr, MacroTable, Nodes, type Position, type Source, standardMacros } from "../../cel/index.ts"
import type { ExpressionTree } from "../model.ts"
import type { ExpressionPositions } from "./read.ts"

const macros = new MacroTable(standardMacros)

/** Makes one tree of CEL. */
export class TreeInCel {
  /** For each node of CEL, the part of the expression that it comes from. */
  readonly origins = new Map<number, ExpressionTree>()
  /** The CEL node that has the type of a part. The argument of `has` has none: it is tested, not read. */
  readonly values = new Map<ExpressionTree, number>()
  private readonly nodes = new Nodes()
  private last = 0

  /** `positions` are offsets into the text of `source`. */
  constructor(
    private readonly source: Source,
    private readonly positions: ExpressionPositions,
  ) {}

  /** `known`: names that are variables. */
  make(tree: ExpressionTree, known: ReadonlySet<string>): Expr {
    const made = this.node(tree, this.position(tree), known)
    this.claim(tree)
    this.values.set(tree, made.id)
    // Null is absent, and every value may be absent; CEL compares null with objects only.
    return made.kind === "constant" && made.constant.type === "null" ? this.nodes.call(made.position, "dyn", [made]) : made
  }

  /** All nodes that no part has claimed come from `tree`. */
  private claim(tree: ExpressionTree): void {
    for (const end = this.nodes.id(); this.last < end; this.last++) if (!this.origins.has(this.last)) this.origins.set(this.last, tree)
  }

  private position(tree: ExpressionTree): Position {
    return this.source.position(this.positions.get(tree) ?? 0)
  }

  private node(tree: ExpressionTree, position: Position, known: ReadonlySet<string>): Expr {
    const { nodes } = this
    const inner = (part: ExpressionTree): Expr => this.make(part, known)
    switch (tree.node) {
      case "literal":
        return this.literal(tree, position)
      case "name":
        return known.has(tree.name) ? nodes.ident(position, tree.name) : nodes.select(position, nodes.ident(position, "self"), tree.name)
      case "select":
        return nodes.select(position, inner(tree.of), tree.field)
      case "index": {
        const field = fieldIn(tree)
        return field === undefined
          ? nodes.call(position, "_[_]", [inner(tree.of), inner(tree.index)])
          : nodes.select(position, inner(tree.of), field)
      }
      case "call":
        return this.call(tree, position, known)
      case "unary":
        return nodes.call(position, `${tree.operator}_`, [inner(tree.of)])
      case "binary": {
        const name = tree.operator === "in" ? "@in" : `_${tree.operator}_`
        const left = tree.operator === "??" ? this.asSent(tree.left, known) : inner(tree.left)
        return nodes.call(position, name, [left, inner(tree.right)])
      }
      case "conditional":
        return nodes.call(position, "_?_:_", [inner(tree.test), inner(tree.then), inner(tree.otherwise)])
      case "list":
        return nodes.list(position, tree.items.map(inner))
      case "macro":
        return this.macro(tree, position, known)
      case "convert":
        return inner(tree.of)
    }
  }

  private literal({ value, double }: ExpressionTree & { node: "literal" }, position: Position): Expr {
    const { nodes } = this
    if (value === null) return nodes.constant(position, { type: "null" })
    if (typeof value === "string") return nodes.constant(position, { type: "string", value })
    if (typeof value === "boolean") return nodes.constant(position, { type: "bool", value })
    if (typeof value !== "number") return nodes.map(position, [])
    return nodes.constant(position, double === true ? { type: "double", value } : { type: "int", value: BigInt(value) })
  }

  private call(tree: ExpressionTree & { node: "call" }, position: Position, known: ReadonlySet<string>): Expr {
    const [first] = tree.arguments
    if (tree.function === "has" && first !== undefined) return this.has(first, position, known)
    const target = tree.target === undefined ? undefined : this.make(tree.target, known)
    const args = tree.arguments.map((argument) => this.make(argument, known))
    return this.nodes.call(position, tree.function, args, target)
  }

  private has(tree: ExpressionTree, position: Position, known: ReadonlySet<string>): Expr {
    const made = this.node(tree, this.position(tree), known)
    this.claim(tree)
    if (made.kind === "select") return { ...made, test: true }
    this.values.set(tree, made.id)
    return this.nodes.call(position, "@has", [made])
  }

  /** A field or an entry as it was sent: an optional value. */
  private asSent(tree: ExpressionTree, known: ReadonlySet<string>): Expr {
    const { nodes } = this
    const made = this.node(tree, this.position(tree), known)
    const { position } = made
    let sent = made
    if (made.kind === "select")
      sent = nodes.call(position, "_?._", [made.operand, nodes.constant(position, { type: "string", value: made.field })])
    else if (made.kind === "call" && made.function === "_[_]") sent = nodes.call(position, "_[?_]", made.args)
    this.claim(tree)
    this.values.set(tree, sent.id)
    return sent
  }

  private macro(tree: ExpressionTree & { node: "macro" }, position: Position, known: ReadonlySet<string>): Expr {
    const { nodes } = this
    const name = tree.macro === "existsOne" ? "exists_one" : tree.macro
    const range = this.make(tree.of, known)
    const args = [nodes.ident(position, tree.variable), this.make(tree.body, new Set([...known, tree.variable]))]
    const expansion = macros.expand(nodes, position, name, range, args)
    if (expansion === undefined || "message" in expansion) throw new TypeError(`the macro ${tree.macro} was not expanded`)
    return expansion
  }
}

/** `x["name"]` is `x.name`: of a struct the field, of a map the entry. */
function fieldIn({ index }: ExpressionTree & { node: "index" }): string | undefined {
  return index.node === "literal" && typeof index.value === "string" ? index.value : undefined
}
