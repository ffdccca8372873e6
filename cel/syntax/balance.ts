import type { Expr } from "./expr.ts"
import type { Mark, Nodes } from "./nodes.ts"

export interface LogicalTerm {
  readonly term: Expr
  /** The mark of the operator before the term. */
  readonly operator: Mark
}

/** `a && b && c && d` as a balanced tree, so that long chains are not deep. */
export function balanced(nodes: Nodes, operator: string, first: Expr, rest: readonly LogicalTerm[]): Expr {
  const terms = [first, ...rest.map(({ term }) => term)]
  const build = (low: number, high: number): Expr => {
    const middle = (low + high + 1) >> 1
    const left = middle === low ? terms[middle] : build(low, middle - 1)
    const right = middle === high ? terms[middle + 1] : build(middle + 1, high)
    const place = rest[middle]?.operator
    if (left === undefined || right === undefined || place === undefined) throw new TypeError("a chain without terms")
    return nodes.call(place, operator, [left, right])
  }
  return rest.length === 0 ? first : build(0, rest.length - 1)
}
