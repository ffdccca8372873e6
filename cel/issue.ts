/** A fault of a source text, found before it is evaluated. */
export interface Issue {
  readonly message: string
  /** From 1. */
  readonly line: number
  /** From 0, in code points. */
  readonly column: number
  /** The node that the checker refuses. Absent for faults of syntax and literals. */
  readonly node?: number
  /** The node itself is valid, but its type is not the one that its place needs. */
  readonly misplaced?: true
}
