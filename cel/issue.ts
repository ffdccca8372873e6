/** A fault of a source text, found before it is evaluated. */
export interface Issue {
  readonly message: string
  /** From 1. */
  readonly line: number
  /** From 0, in code points. */
  readonly column: number
}
