/** Patterns of schemas are RE2: what the server's engine refuses is refused here, where the author sees it. */
import { RE2JS } from "re2js"
import type { SourceFile } from "./source.ts"

/** Called for each `pattern` and each literal pattern of `matches`. */
export function checkPattern(pattern: string, start: number, source: SourceFile): void {
  try {
    RE2JS.compile(pattern)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    source.report(start, { found: `the pattern "${pattern}"`, expected: `an RE2 pattern (${why})` })
  }
}
