/**
 * Declarations of a library: functions with overloads, and macros. A library is data, so that the checker, the compiler
 * and both kinds of costs read the same record.
 */
import type { Bounds } from "./cost/bounds.ts"
import type { Expr } from "./syntax/expr.ts"
import type { Macro } from "./syntax/macro.ts"
import type { CelType } from "./types/type.ts"
import type { Result, Value } from "./values/value.ts"

/** `left symbol right`, a call of `function`. It binds from the left, less than all operators but `?:`. */
export interface InfixOperator {
  readonly symbol: string
  readonly function: string
}

export interface Library {
  readonly name: string
  /** Errors of conditions are false, and errors of a loop's range are empty: reading an absent value is no fault. */
  readonly errorsAreFalse?: boolean
  /** Expressions may use `.?`, `[?]` and `{?k: v}`. */
  readonly optionalSyntax?: boolean
  /** Their operands need parentheses beside other operators. */
  readonly operators?: readonly InfixOperator[]
  readonly functions?: readonly FunctionDeclaration[]
  readonly macros?: readonly Macro[]
  /** Names of types that expressions may write, as in `type(x) == net.IP`. */
  readonly types?: readonly CelType[]
}

/** Several libraries may declare overloads of one function; the environment merges them. */
export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
  /**
   * Removes the function's overloads of earlier libraries: a call has the types that are declared here. An overload
   * without an implementation gets the implementation of the former overload with the same arguments.
   */
  readonly replaces?: true
  /** One implementation for all overloads, which looks at the values itself. Overloads then need none. */
  readonly impl?: Impl
  /** Result of a call when an argument is an error; undefined: the error. Absent: the error, as CEL specifies. */
  readonly recover?: (args: readonly Result[]) => Result | undefined
  /**
   * The cost of one call at run time, without the cost of its arguments; undefined: the next rule decides, which is 1
   * for most calls. It applies to every overload of this name, also in other libraries, as in the reference. `overload`
   * is the empty string when the checker left several. Arguments may be errors. It is called before the call, which is
   * not made when its cost is too high. The call itself counts work beyond its cost (work.ts).
   */
  readonly cost?: (args: readonly Result[], overload: string) => number | undefined
  /** The cost as known before a call; undefined: the next rule decides. For every overload of this name. */
  readonly estimate?: (call: EstimatedCall) => CallEstimate | undefined
}

export interface Overload {
  /** Unique in an environment: `string_index_of_int`. */
  readonly id: string
  /** The first argument is the target: `target.f(x)`. */
  readonly member?: boolean
  /** With the target, if it is a member. */
  readonly args: readonly CelType[]
  readonly result: CelType
  /**
   * Computes the result. Errors among the arguments never reach it: the first of them is the result. When an argument
   * is of type dyn, the values are checked against `args` first: other values give `no such overload`.
   */
  readonly impl?: Impl
  /** `impl` receives values of any type, and also gives a result for values of wrong types. */
  readonly unguarded?: boolean
  /**
   * Called once at compilation with the arguments that are constants: returns a faster implementation (a pattern
   * compiled), undefined to keep `impl`, or an error, which is then a fault of the expression.
   */
  readonly specialize?: (constants: readonly (Value | undefined)[]) => Impl | { readonly fault: string } | undefined
}

export type Impl = (...args: Value[]) => Result

/** A part of an expression, as estimates see it. */
export interface SizedNode {
  readonly type: CelType
  /** The path from a variable to the value: field names, `@items`, `@keys`, `@values`. Absent for computed values. */
  readonly path?: readonly string[] | undefined
  readonly expr?: Expr
  /** The size that follows from the expression alone. */
  readonly computedSize?: Bounds
}

export interface EstimatedCall {
  readonly overload: string
  /** The target of a member call. */
  readonly target?: SizedNode
  readonly args: readonly SizedNode[]
  /** The size() of a value: computed, estimated from the schema, or 0 to the largest number. */
  sizeOf(node: SizedNode): Bounds
  /** The same, but values of a fixed size have size 1. */
  standardSizeOf(node: SizedNode): Bounds
  /** The elements of a list, so that `sizeOf` can estimate them; undefined for other values. */
  elementOf(list: SizedNode): SizedNode | undefined
}

export interface CallEstimate {
  readonly cost: Bounds
  /** The size() of the result, where it has one. */
  readonly resultSize?: Bounds
}
