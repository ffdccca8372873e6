/** Checks of the API server on literals besides their types: formats of constants, and lists of one type. */
import type { Issue } from "../issue.ts"
import type { CallExpr, Constant, Expr, ListExpr, MapExpr } from "../syntax/expr.ts"
import type { Source } from "../syntax/source.ts"
import { formatType, sameType } from "../types/format.ts"
import { type CelType, dynType } from "../types/type.ts"
import type { CheckedTree } from "./checker.ts"

/** Whether a function accepts a constant. */
export interface LiteralRules {
  readonly isTimestamp: (constant: Constant) => boolean
  readonly isDuration: (constant: Constant) => boolean
  readonly isPattern: (constant: Constant) => boolean
}

/** Adds issues for constants such as `timestamp('soon')`, and for lists and maps of mixed types. */
export function checkLiterals(tree: CheckedTree, source: Source, rules: LiteralRules, issues: Issue[]): void {
  new LiteralChecker(tree, source, rules, issues).visit(tree.expr, false)
}

class LiteralChecker {
  constructor(
    private readonly tree: CheckedTree,
    private readonly source: Source,
    private readonly rules: LiteralRules,
    private readonly issues: Issue[],
  ) {}

  /** `exempt`: within the arguments of `format`, which may be of different types. */
  visit(expr: Expr, exempt: boolean): void {
    switch (expr.kind) {
      case "select":
        return this.visit(expr.operand, false)
      case "call":
        this.call(expr)
        return
      case "list":
        if (!exempt) this.list(expr)
        for (const element of expr.elements) this.visit(element, exempt)
        return
      case "map":
        if (!exempt) this.map(expr)
        for (const { key, value } of expr.entries) for (const part of [key, value]) this.visit(part, exempt)
        return
      case "struct":
        for (const { value } of expr.entries) this.visit(value, false)
        return
      case "fold":
        for (const part of [expr.range, expr.init, expr.condition, expr.step, expr.result]) this.visit(part, false)
    }
  }

  private call(expr: CallExpr): void {
    const [first] = expr.args
    if (first?.kind === "constant" && this.isInvalid(expr.function, first.constant)) {
      this.report(first, `invalid ${expr.function} argument`)
    }
    for (const part of expr.target === undefined ? expr.args : [expr.target, ...expr.args]) {
      this.visit(part, expr.function === "format")
    }
  }

  /** As in the reference, the first argument of `matches(text, pattern)` is checked too. */
  private isInvalid(name: string, constant: Constant): boolean {
    if (name === "timestamp") return !this.rules.isTimestamp(constant)
    if (name === "duration") return !this.rules.isDuration(constant)
    return name === "matches" && !this.rules.isPattern(constant)
  }

  private list({ elements, optional }: ListExpr): void {
    let expected: CelType | undefined
    for (const [index, element] of elements.entries()) {
      const type = this.type(element, optional.includes(index))
      expected ??= type
      if (sameType(expected, type, false)) continue
      this.mismatch(element, expected, type)
      return
    }
  }

  private map({ entries }: MapExpr): void {
    const [first] = entries
    if (first === undefined) return
    const keyType = this.type(first.key, false)
    const valueType = this.type(first.value, first.optional)
    for (const { key, value, optional } of entries) {
      const foundKey = this.type(key, false)
      if (!sameType(keyType, foundKey, false)) this.mismatch(key, keyType, foundKey)
      const foundValue = this.type(value, optional)
      if (!sameType(valueType, foundValue, false)) this.mismatch(value, valueType, foundValue)
    }
  }

  private type(expr: Expr, optional: boolean): CelType {
    const type = this.tree.types.get(expr.id) ?? dynType
    return optional ? (type.parameters[0] ?? dynType) : type
  }

  private mismatch(expr: Expr, expected: CelType, found: CelType): void {
    this.report(expr, `expected type '${formatType(expected)}' but found '${formatType(found)}'`)
  }

  private report(expr: Expr, message: string): void {
    const { line, column } = this.source.checkedPosition(expr.position)
    this.issues.push({ line, column, message })
  }
}
