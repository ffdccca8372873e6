/**
 * Patterns of schemas are RE2. Patterns that the server's engine refuses are refused here, where the author sees the
 * error.
 */
import { PatternFault, patternOf } from "../../runtime/base/pattern.ts"
import type { SourceFile } from "./source.ts"

/** Called for each `pattern` and each literal pattern of `matches`. */
export function checkPattern(pattern: string, start: number, source: SourceFile): void {
  const fault = patternFault(pattern)
  if (fault !== undefined) source.report(start, { found: `the pattern "${pattern}"`, expected: `an RE2 pattern (${fault})` })
}

export function isPattern(pattern: string): boolean {
  return patternFault(pattern) === undefined
}

function patternFault(pattern: string): string | undefined {
  const compiled = patternOf(pattern)
  return compiled instanceof PatternFault ? compiled.message : undefined
}
