/** The tree of an expression after macros are expanded. Costs depend on this form. */

/** Where a node begins: offset in code points, and line (from 1) and column (from 0) for messages. */
export interface Position {
  readonly offset: number
  readonly line: number
  readonly column: number
}

interface Node {
  /** Unique in its tree. */
  readonly id: number
  readonly position: Position
}

export type Constant =
  | { readonly type: "null" }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "uint"; readonly value: bigint }
  | { readonly type: "double"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "bytes"; readonly value: Uint8Array }

export interface ConstantExpr extends Node {
  readonly kind: "constant"
  readonly constant: Constant
}

export interface IdentExpr extends Node {
  readonly kind: "ident"
  readonly name: string
}

/** `operand.field`, or with `test` the presence of the field: `has(operand.field)`. */
export interface SelectExpr extends Node {
  readonly kind: "select"
  readonly operand: Expr
  readonly field: string
  readonly test: boolean
}

/** Operators are calls too: `_+_`, `_&&_`, `_?_:_`, `_[_]`, `_?._`, `_[?_]`. */
export interface CallExpr extends Node {
  readonly kind: "call"
  readonly target?: Expr
  readonly function: string
  readonly args: readonly Expr[]
}

export interface ListExpr extends Node {
  readonly kind: "list"
  readonly elements: readonly Expr[]
  /** Indices of elements that are written `?x`. */
  readonly optional: readonly number[]
}

export interface MapEntry {
  readonly id: number
  readonly position: Position
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

export interface MapExpr extends Node {
  readonly kind: "map"
  readonly entries: readonly MapEntry[]
}

export interface FieldEntry {
  readonly id: number
  readonly position: Position
  readonly field: string
  readonly value: Expr
  readonly optional: boolean
}

/** `Name{field: value}`. */
export interface StructExpr extends Node {
  readonly kind: "struct"
  readonly name: string
  readonly entries: readonly FieldEntry[]
}

/** A loop over a list's elements or a map's keys. */
export interface FoldExpr extends Node {
  readonly kind: "fold"
  readonly iterVar: string
  readonly range: Expr
  readonly accuVar: string
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

export type Expr = ConstantExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | FoldExpr

/** The variable in which macros accumulate. */
export const accumulator = "__result__"
