/** Searches for patterns, as part of the work of an evaluation. */
import { type Pattern, PatternFault, patternOf, patternSteps, SearchExceeded } from "../../runtime/base/pattern.ts"
import { errorOf } from "../values/error.ts"
import type { Result } from "../values/value.ts"
import { CostExceeded, chargeWork } from "../work.ts"

/** Steps of a search that take as long as a unit of work. */
const stepsPerUnit = 2

/**
 * Searches for a pattern that is given as text, and counts the steps. `illegal` precedes the fault of an invalid
 * pattern. The pattern may be a constant: the cache of compiled patterns is limited in size, so it is not kept here.
 */
export function searched(source: string, search: (pattern: Pattern) => Result, illegal = "Illegal regex: "): Result {
  const before = patternSteps()
  const pattern = patternOf(source)
  if (pattern instanceof PatternFault) return errorOf(`${illegal}${pattern.message}`)
  try {
    const found = search(pattern)
    chargeWork((patternSteps() - before) / stepsPerUnit)
    return found
  } catch (cause) {
    if (cause instanceof SearchExceeded) throw new CostExceeded()
    throw cause
  }
}
