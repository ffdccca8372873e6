/**
 * Work that costs do not show. Costs are the reference's, and part of the API: joining lists costs 1 regardless of
 * their length, and comparing two lists costs by their own items, not by the contents of the items. So implementations
 * also report work beyond their cost here, before they do it. Work beyond the limit of an evaluation is refused like a
 * cost beyond its limit.
 */

/** Thrown through all operators, none of which can absorb it. */
export class CostExceeded extends Error {}

/** Units that one evaluation may take when it has a cost limit. Like a unit of cost, a unit takes some 50 ns. */
export const workMax = 500_000

let left = Number.POSITIVE_INFINITY

/** Counts work before it is done. Throws CostExceeded. Outside of evaluations nothing is limited. */
export function chargeWork(units: number): void {
  left -= units
  if (left < 0) throw new CostExceeded()
}

/** Characters that a built-in function passes in the time of a unit. */
const charactersPerUnit = 50

/** Counts one pass of a built-in function over a text. */
export function chargeText(text: string): void {
  if (text.length > charactersPerUnit) chargeWork(text.length / charactersPerUnit)
}

/** Pairs of characters that a search for a text compares in the time of a unit, in the worst case. */
const pairsPerUnit = 300

/** Counts a search for a part: built-in functions may compare it at each place of the text. */
export function chargeSearch(text: string, part: string): void {
  const pairs = text.length * part.length
  if (pairs > pairsPerUnit) chargeWork(pairs / pairsPerUnit)
}

/** Begins to count for an evaluation. Returns the argument for `endWork`. */
export function beginWork(max: number): number {
  const around = left
  left = max
  return around
}

/** Ends the count that `beginWork` began. Returns the units that were taken. */
export function endWork(around: number, max: number): number {
  const taken = max === Number.POSITIVE_INFINITY ? 0 : max - left
  left = around
  return taken
}
