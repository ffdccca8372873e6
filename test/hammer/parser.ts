/** A parser under the hammer. */
export interface Parser {
  /** The exports that it covers, by file below `runtime/` or the repository, for the completeness test. */
  readonly covers: readonly string[]
  read(text: string): unknown
  /** Text to put around the run so that the parser reaches it; the run is also tested alone and between two letters. */
  readonly shapes?: readonly (readonly [string, string])[]
  /** Further units of repetition: parts that its grammar may repeat. */
  readonly units?: readonly string[]
}

/** Runs several readers; each of them may refuse. */
export function each(...ways: readonly ((text: string) => unknown)[]): (text: string) => void {
  return (text) => {
    for (const way of ways) {
      try {
        way(text)
      } catch (error) {
        // A refusal: its message must respect the limit.
        if (!(error instanceof Error)) throw error
      }
    }
  }
}
