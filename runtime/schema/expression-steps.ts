/**
 * Limits the cost of expressions. Rules of a schema run on objects of any client. A macro within a macro, or a rule of
 * an item that searches a list of the whole object, costs the product of both lengths. So every visit to an item of a
 * large collection counts as a step. Too many steps end an expression, and too many for all rules of one object end its
 * validation (`validate.ts`). Small collections cost nothing: they make no rule slow.
 */
import { ApiError } from "../base/errors.ts"
import { ruleStepsMax } from "../base/limits.ts"

/** Collections up to this size are not counted. */
const fewItems = 16

/** About as many characters as can be searched in the time of one item. */
const charactersPerStep = 16

/** An expression took more than `ruleStepsMax` steps; 422 wherever it was evaluated. */
export class RuleStepsError extends ApiError {
  constructor() {
    super(422, "Invalid", ruleStepsText)
  }
}

/** The message for an object whose rules cost too much. */
export const ruleStepsText = `checking the rules of this kind takes more than ${ruleStepsMax} steps, because they compare long lists with each other; shorten the lists`

/** Nesting depth of the running macros. */
let depth = 0
/** Steps that the outermost macro may still take. */
let left = ruleStepsMax
/** Steps since `takeSteps`. */
let spent = 0
/** The list that was last searched, while an expression runs: lists do not change meanwhile. */
let known: { readonly list: readonly unknown[]; readonly texts: ReadonlySet<unknown> } | undefined

/** Visits the items until `visit` returns true; returns whether it did. Called by every macro. */
export function walk<Item>(items: readonly Item[], visit: (item: Item) => boolean): boolean {
  if (depth === 0) left = ruleStepsMax
  depth++
  try {
    const counted = items.length > fewItems
    for (const item of items) {
      if (counted) take(1)
      if (visit(item)) return true
    }
    return false
  } finally {
    depth--
    if (depth === 0) {
      spent += ruleStepsMax - left
      known = undefined
    }
  }
}

function take(steps: number): void {
  left -= steps
  if (left < 0) throw new RuleStepsError()
}

/** Counts items that a function visits without a macro. */
export function chargeSteps(items: number): void {
  if (items <= fewItems) return
  if (depth > 0) take(items)
  else spent += items
}

/** Counts a string that a function searches. */
export function chargeText(text: string): void {
  chargeSteps(Math.floor(text.length / charactersPerStep))
}

/**
 * Returns a set of the items of a long list, for look-ups. Undefined outside macros, where a list is searched only
 * once.
 */
export function textsOf(list: readonly unknown[]): ReadonlySet<unknown> | undefined {
  if (depth === 0 || list.length <= fewItems) return undefined
  if (known?.list !== list) {
    chargeSteps(list.length)
    known = { list, texts: new Set(list) }
  }
  return known.texts
}

/**
 * Returns the steps of all expressions since the last call. Called before the rules of an object and after each of
 * them.
 */
export function takeSteps(): number {
  const steps = spent
  spent = 0
  return steps
}
