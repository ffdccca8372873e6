/** Recognizes expansions of the standard macros, so that their loops can be evaluated without their bookkeeping. */
import { accumulator, type Expr, type FoldExpr } from "../syntax/expr.ts"

export type FoldShape =
  /** `all` and `exists`: `decisive` ends the loop. */
  | { readonly kind: "quantifier"; readonly predicate: Expr; readonly decisive: boolean }
  /** `map` and `filter`: an element for each item that the predicate holds for. */
  | { readonly kind: "building"; readonly element: Expr; readonly predicate: Expr | undefined }

/** The shape of a loop; undefined for any other loop, or if a part of its own uses the accumulator. */
export function shapeOf(fold: FoldExpr): FoldShape | undefined {
  if (fold.accuVar !== accumulator || !isAccumulator(fold.result) || fold.iterVar === accumulator) return undefined
  const shape = quantifier(fold) ?? building(fold)
  if (shape === undefined) return undefined
  const parts = shape.kind === "quantifier" ? [shape.predicate] : [shape.element, shape.predicate]
  return parts.some((part) => part !== undefined && readsAccumulator(part)) ? undefined : shape
}

function quantifier({ init, condition, step }: FoldExpr): FoldShape | undefined {
  const start = booleanOf(init)
  if (start === undefined || condition.kind !== "call" || condition.function !== "@not_strictly_false") return undefined
  const [holds] = condition.args
  const [accu, predicate] = argsOf(step, start ? "_&&_" : "_||_")
  const expected = start ? holds : argsOf(holds, "!_")[0]
  if (!isAccumulator(expected) || !isAccumulator(accu) || predicate === undefined) return undefined
  return { kind: "quantifier", predicate, decisive: !start }
}

function building({ init, condition, step }: FoldExpr): FoldShape | undefined {
  if (init.kind !== "list" || init.elements.length > 0 || booleanOf(condition) !== true) return undefined
  const [predicate, yes, no] = argsOf(step, "_?_:_")
  if (predicate !== undefined && !isAccumulator(no)) return undefined
  const [accu, added] = argsOf(predicate === undefined ? step : yes, "_+_")
  if (!isAccumulator(accu) || added?.kind !== "list" || added.optional.length > 0) return undefined
  const [element, ...others] = added.elements
  return element === undefined || others.length > 0 ? undefined : { kind: "building", element, predicate }
}

function argsOf(expr: Expr | undefined, name: string): readonly Expr[] {
  return expr?.kind === "call" && expr.function === name && expr.target === undefined ? expr.args : []
}

function isAccumulator(expr: Expr | undefined): boolean {
  return expr?.kind === "ident" && expr.name === accumulator
}

function booleanOf(expr: Expr): boolean | undefined {
  return expr.kind === "constant" && expr.constant.type === "bool" ? expr.constant.value : undefined
}

/** A loop inside has its own accumulator; its range and its start are evaluated outside. */
function readsAccumulator(expr: Expr): boolean {
  return isAccumulator(expr) || partsOf(expr).some(readsAccumulator)
}

function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "constant":
    case "ident":
      return []
    case "select":
      return [expr.operand]
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case "list":
      return expr.elements
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value])
    case "struct":
      return expr.entries.map(({ value }) => value)
    case "fold": {
      const outside = [expr.range, expr.init]
      return expr.accuVar === accumulator ? outside : [...outside, expr.condition, expr.step, expr.result]
    }
  }
}
