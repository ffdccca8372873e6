/**
 * What expressions may cost. Rules of a schema run on objects that anybody sends, and a macro within a macro, or a rule of an item that looks through a list
 * of the whole object, costs the one list times the other. So the items that large collections are gone through for are counted: too many for one
 * expression end it, and too many for all rules of one object end its validation (`validate.ts`). Small collections cost nothing: they make no rule slow.
 */
import { ApiError } from "../errors.ts"
import { ruleStepsMax } from "../limits.ts"

/** Collections of at most so many items are gone through uncounted. */
const fewItems = 16

/** Characters of a text that are looked through in the time of one item, about. */
const charactersPerStep = 16

/** Thrown out of an expression that takes more than `ruleStepsMax` steps; 422 wherever it was evaluated. */
export class RuleStepsError extends ApiError {
  constructor() {
    super(422, "Invalid", ruleStepsText)
  }
}

/** What is wrong with an object whose rules cost too much. */
export const ruleStepsText = `checking the rules of this kind takes more than ${ruleStepsMax} steps, because they compare long lists with each other; shorten the lists`

/** Macros that are under way, one within the other. */
let depth = 0
/** Steps that the outermost of them may still take. */
let left = ruleStepsMax
/** Steps since `takeSteps`. */
let spent = 0
/** The list that was asked for texts last, while an expression is under way: lists do not change meanwhile. */
let known: { readonly list: readonly unknown[]; readonly texts: ReadonlySet<unknown> } | undefined

/** Goes through the items until `visit` answers true; true when it did. Called by every macro. */
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

/** Counts items that a function goes through without a macro. */
export function chargeSteps(items: number): void {
  if (items <= fewItems) return
  if (depth > 0) take(items)
  else spent += items
}

/** Counts a text that a function looks through. */
export function chargeText(text: string): void {
  chargeSteps(Math.floor(text.length / charactersPerStep))
}

/** The items of a long list, to look up texts among them; undefined outside macros, where a list is gone through once. */
export function textsOf(list: readonly unknown[]): ReadonlySet<unknown> | undefined {
  if (depth === 0 || list.length <= fewItems) return undefined
  if (known?.list !== list) {
    chargeSteps(list.length)
    known = { list, texts: new Set(list) }
  }
  return known.texts
}

/** The steps of all expressions since it was called last. Called before the rules of an object and after each of them. */
export function takeSteps(): number {
  const steps = spent
  spent = 0
  return steps
}
