/** Bounds of the cost of an expression, before any value is known. */
import type { Declarations } from "../check/declarations.ts"
import type { CheckedTree } from "../check/checker.ts"
import type { CallEstimate, EstimatedCall, SizedNode } from "../declaration.ts"
import { accumulator, type CallExpr, type Expr, type FoldExpr, type SelectExpr } from "../syntax/expr.ts"
import { type CelType, dynType } from "../types/type.ts"
import { codePoints } from "../values/size.ts"
import { addBounds, type Bounds, bounds, multiplyBounds, unbounded, unionBounds } from "./bounds.ts"
import { Path } from "./path.ts"
import { standardEstimate } from "./standard-estimates.ts"

/** The size() of a node's value, where the environment knows it from a schema. */
export type SizeEstimator = (node: SizedNode) => Bounds | undefined

export interface EstimateOptions {
  readonly size?: SizeEstimator
  /** Cost of `has(x.y)` besides reaching `x`: nothing by default, as in the API server. */
  readonly presenceCost?: number
}

const nothing = bounds(0)
const one = bounds(1)
const listCost = bounds(10)
const mapCost = bounds(30)
const structCost = bounds(40)
const unknownSize = bounds(0, unbounded)

/** The bounds of the cost of a checked expression. */
export function estimateCost(tree: CheckedTree, declarations: Declarations, options: EstimateOptions = {}): Bounds {
  return new Estimator(tree, declarations, options).cost(tree.expr)
}

class Estimator {
  private readonly paths = new Map<number, Path>()
  private readonly sizes = new Map<number, Bounds>()
  /** Ranges of iteration variables, the innermost last. */
  private readonly ranges = new Map<string, Expr[]>()
  private readonly presence: Bounds

  constructor(
    private readonly tree: CheckedTree,
    private readonly declarations: Declarations,
    private readonly options: EstimateOptions,
  ) {
    this.presence = bounds(options.presenceCost ?? 0)
  }

  cost(expr: Expr): Bounds {
    switch (expr.kind) {
      case "constant":
        return nothing
      case "ident":
        return this.ident(expr, expr.name)
      case "select":
        return this.select(expr)
      case "call":
        return this.call(expr)
      case "list":
        return addBounds(this.sum(expr.elements), listCost)
      case "map":
        return addBounds(this.sum(expr.entries.flatMap(({ key, value }) => [key, value])), mapCost)
      case "struct":
        return addBounds(this.sum(expr.entries.map(({ value }) => value)), structCost)
      case "fold":
        return this.fold(expr)
    }
  }

  private sum(exprs: readonly Expr[]): Bounds {
    return exprs.reduce((total, expr) => addBounds(total, this.cost(expr)), nothing)
  }

  private ident(expr: Expr, name: string): Bounds {
    const range = this.ranges.get(name)?.at(-1)
    if (range === undefined) {
      this.paths.set(expr.id, Path.none.append(name))
      return one
    }
    const { kind } = this.type(range)
    const path = this.path(range)
    if (kind === "list") this.paths.set(expr.id, path.append("@items"))
    else if (kind === "map") this.paths.set(expr.id, path.append("@keys"))
    return one
  }

  private select(expr: SelectExpr): Bounds {
    if (expr.test) return addBounds(this.presence, this.cost(expr.operand))
    const operand = this.cost(expr.operand)
    const { kind } = this.type(expr.operand)
    this.paths.set(expr.id, this.path(expr.operand).append(expr.field))
    return kind === "map" || kind === "struct" || kind === "param" ? addBounds(operand, one) : operand
  }

  private call(expr: CallExpr): Bounds {
    const args = expr.args.map((arg) => ({ cost: this.cost(arg), node: this.node(arg) }))
    const overloads = this.tree.overloads.get(expr.id) ?? []
    if (overloads.length === 0) return nothing
    const target = expr.target
    const targetCost = target === undefined ? nothing : this.cost(target)
    const targetNode = target === undefined ? undefined : this.node(target)
    let cost: Bounds = { min: unbounded, max: 0n }
    let size: Bounds | undefined
    for (const overload of overloads) {
      const estimate = this.callCost(expr.function, overload, targetNode, args)
      cost = unionBounds(cost, estimate.cost)
      const resultSize = estimate.resultSize
      if (resultSize !== undefined) size = size === undefined ? resultSize : unionBounds(size, resultSize)
      this.indexPath(expr, overload)
    }
    if (size !== undefined) this.sizes.set(expr.id, size)
    return addBounds(targetCost, cost)
  }

  /** An index leads from a list to its items, from a map to its values. */
  private indexPath(expr: CallExpr, overload: string): void {
    const [container] = expr.args
    if (container === undefined) return
    if (overload === "index_list") this.paths.set(expr.id, this.path(container).append("@items"))
    else if (overload === "index_map") this.paths.set(expr.id, this.path(container).append("@values"))
  }

  private callCost(
    name: string,
    overload: string,
    target: SizedNode | undefined,
    args: readonly { readonly cost: Bounds; readonly node: SizedNode }[],
  ): CallEstimate {
    const nodes = args.map(({ node }) => node)
    const call = this.estimatedCall(overload, target, nodes)
    const sum = args.reduce((total, { cost }) => addBounds(total, cost), nothing)
    const estimates = this.declarations.functions.get(name)?.estimates ?? []
    for (const estimate of estimates) {
      const found = estimate(call)
      if (found !== undefined) return { ...found, cost: addBounds(found.cost, sum) }
    }
    return standardEstimate(
      call,
      args.map(({ cost }) => cost),
      sum,
    )
  }

  private estimatedCall(overload: string, target: SizedNode | undefined, args: readonly SizedNode[]): EstimatedCall {
    return {
      overload,
      ...(target !== undefined && { target }),
      args,
      sizeOf: (node) => node.computedSize ?? this.options.size?.(node) ?? unknownSize,
      standardSizeOf: (node) => this.sizeOf(node),
      elementOf: (list) => {
        const [type] = list.type.parameters
        if (type === undefined) return undefined
        return { type, ...(list.path !== undefined && { path: [...list.path, "@items"] }) }
      },
    }
  }

  private fold(expr: FoldExpr): Bounds {
    const before = addBounds(this.cost(expr.range), this.cost(expr.init))
    const ranges = this.ranges.get(expr.iterVar) ?? []
    this.ranges.set(expr.iterVar, ranges)
    ranges.push(expr.range)
    const loop = this.cost(expr.condition)
    const step = this.cost(expr.step)
    ranges.pop()
    const result = this.cost(expr.result)
    const count = this.sizeOf(this.node(expr.range))
    this.sizes.set(expr.id, count)
    return addBounds(addBounds(before, result), multiplyBounds(count, addBounds(step, loop)))
  }

  private sizeOf(node: SizedNode): Bounds {
    return node.computedSize ?? this.options.size?.(node) ?? (isScalar(node.type) ? one : unknownSize)
  }

  private node(expr: Expr): SizedNode {
    const path = this.path(expr)
    const [root = accumulator] = path.steps()
    const computedSize = this.sizes.get(expr.id) ?? literalSize(expr)
    return {
      type: this.type(expr),
      expr,
      get path() {
        return root === accumulator ? undefined : path.steps()
      },
      ...(computedSize !== undefined && { computedSize }),
    }
  }

  private path(expr: Expr): Path {
    return this.paths.get(expr.id) ?? Path.none
  }

  private type(expr: Expr): CelType {
    return this.tree.types.get(expr.id) ?? dynType
  }
}

/** The size of a literal in the expression. */
function literalSize(expr: Expr): Bounds | undefined {
  switch (expr.kind) {
    case "constant": {
      const { constant } = expr
      if (constant.type === "string") return bounds(codePoints(constant.value))
      return constant.type === "bytes" ? bounds(constant.value.length) : one
    }
    case "list":
      return bounds(expr.elements.length)
    case "map":
      return bounds(expr.entries.length)
    case "struct":
      return nothing
    default:
      return undefined
  }
}

function isScalar({ kind }: CelType): boolean {
  return kind === "bool" || kind === "double" || kind === "duration" || kind === "int" || kind === "timestamp" || kind === "uint"
}
