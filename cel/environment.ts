import type { Library, SizedNode } from "./declaration.ts"
import type { Bounds } from "./cost/bounds.ts"
import type { Issue } from "./issue.ts"
import type { Expr } from "./syntax/expr.ts"
import type { CelType } from "./types/type.ts"
import type { Result, Value } from "./values/value.ts"

export interface EnvironmentOptions {
  /** The names that expressions may use, with their types. */
  readonly variables?: Readonly<Record<string, CelType>>
  /** Besides the standard library. */
  readonly libraries?: readonly Library[]
}

/** Compiles expressions over the same variables and libraries. Make it once: it indexes its declarations. */
export interface Environment {
  compile(source: string): Compiled | { readonly issues: Issues }
  /** An environment with more variables or libraries; what is already indexed is shared. */
  extend(options: EnvironmentOptions): Environment
}

export interface Issues {
  readonly list: readonly Issue[]
  /** All of them with the lines they point at, as users read them: `ERROR: <input>:1:5: undeclared ...`. */
  readonly text: string
}

export interface Compiled {
  readonly program: Program
  /** The type of the result. */
  readonly type: CelType
  readonly ast: CheckedAst
}

export interface CheckedAst {
  readonly expr: Expr
  /** The type of each node, by its id. */
  readonly types: ReadonlyMap<number, CelType>
  /** The overloads of each call that may apply, by the node's id. */
  readonly overloads: ReadonlyMap<number, readonly string[]>
  /** The variables that the expression reads. */
  readonly variables: ReadonlySet<string>
}

export interface Program {
  /**
   * Evaluates the expression. Without a limit the cost is counted and evaluation never stops early. With a limit,
   * evaluation that costs more ends with the error `operation cancelled: actual cost limit exceeded`.
   */
  evaluate(variables: Readonly<Record<string, Value>>, options?: { readonly costLimit?: number }): Outcome
}

export interface Outcome {
  /** An `ErrorValue` when evaluation failed. */
  readonly value: Result
  readonly cost: number
}

/** Sizes of what variables hold. Undefined: unknown. */
export type SizeEstimator = (node: SizedNode) => Bounds | undefined
