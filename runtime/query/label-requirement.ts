/** One requirement of a label selector. */

/** `exists` and `!` have no value, `in` and `notin` one or more, the others exactly one. */
export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | ">" | "<"

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  /** Sorted, without repetition. */
  readonly values: readonly string[]
}
