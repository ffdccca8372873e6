/** A parsed JSONPath in the dialect of client-go (util/jsonpath): columns and selectable fields of definitions. */

/** The steps of one action, one after the other. */
export type Steps = readonly Step[]

export type Step =
  | { readonly step: "field"; readonly name: string }
  /** `[from:to:by]`; `[n]` is a slice with one item. */
  | { readonly step: "slice"; readonly slice: Slice }
  | { readonly step: "filter"; readonly left: Steps; readonly right: Steps; readonly operator: string }
  | { readonly step: "union"; readonly of: readonly Steps[] }
  | { readonly step: "wildcard" }
  /** `..`: all lists, objects and texts below. */
  | { readonly step: "descent" }
  /** A literal, which replaces the values so far. */
  | { readonly step: "literal"; readonly value: string | number | bigint | boolean; readonly isFloat: boolean }
  /** A word that is not a step of a path. Evaluation fails. */
  | { readonly step: "word"; readonly word: string }

export interface Slice {
  readonly from: number | undefined
  readonly to: number | undefined
  /** Whether the slice is `[n]`, and `to` is `from` + 1. */
  readonly isOne: boolean
  readonly by: number | undefined
}

/** A path that cannot be parsed. The messages are the reference's. */
export class PathSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "PathSyntaxError"
  }
}
