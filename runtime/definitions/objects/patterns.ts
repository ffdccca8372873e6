/**
 * Compiled patterns of definitions. RE2 takes linear time for any text; a compiled pattern takes some KB, so only the
 * ones in use are kept.
 */
import { RE2JS } from "re2js"

/** Compiled patterns that are kept. */
const patternsMax = 1000

const compiled = new Map<string, RE2JS>()

/**
 * Whether a text matches a pattern somewhere. Called once per value. Throws an Error for a pattern that RE2 does not
 * accept, which no established definition has.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  let expression = compiled.get(pattern)
  if (expression === undefined) {
    expression = RE2JS.compile(pattern)
    const oldest = compiled.size >= patternsMax ? compiled.keys().next().value : undefined
    if (oldest !== undefined) compiled.delete(oldest)
    compiled.set(pattern, expression)
  }
  return expression.test(text)
}
