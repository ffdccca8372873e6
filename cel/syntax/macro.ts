import type { Constant, Expr } from "./expr.ts"

/** Makes the nodes of an expansion. Each gets the position of the macro's call. */
export interface MacroHelper {
  constant(constant: Constant): Expr
  ident(name: string): Expr
  list(...elements: readonly Expr[]): Expr
  call(name: string, ...args: readonly Expr[]): Expr
  memberCall(name: string, target: Expr, ...args: readonly Expr[]): Expr
  presence(operand: Expr, field: string): Expr
  fold(parts: {
    readonly iterVar: string
    readonly range: Expr
    readonly accuVar: string
    readonly init: Expr
    readonly condition: Expr
    readonly step: Expr
    readonly result: Expr
  }): Expr
  /** Reports a fault at a node. The expansion ends. */
  fail(at: Expr, message: string): never
}
