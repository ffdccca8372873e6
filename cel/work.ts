/**
 * Work that costs do not show. Costs are the reference's, and part of the API: joining lists costs 1 however long they
 * are, comparing two lists costs by their own items and not by what those hold. So implementations also say here what
 * they do beyond their cost, before they do it. One evaluation may do so much; more is refused as a cost is that
 * exceeds its limit.
 */

/** Thrown through all operators, which cannot absorb it. */
export class CostExceeded extends Error {}

/** Units that one evaluation may take when it has a cost limit. A unit takes some 50 ns, as one of cost does. */
export const workMax = 500_000

let left = Number.POSITIVE_INFINITY

/** Counts work that is going to be done. Throws CostExceeded. Outside of evaluations nothing is limited. */
export function chargeWork(units: number): void {
  left -= units
  if (left < 0) throw new CostExceeded()
}

/** Characters that built-in functions pass through in the time of a unit. */
const charactersPerUnit = 50

/** Counts one pass of a built-in function over a text. */
export function chargeText(text: string): void {
  if (text.length > charactersPerUnit) chargeWork(text.length / charactersPerUnit)
}

/** Pairs of characters that a search for a text compares in the time of a unit, in the worst case. */
const pairsPerUnit = 300

/** Counts a search for a part: built-in ones may compare it at each place of the text. */
export function chargeSearch(text: string, part: string): void {
  const pairs = text.length * part.length
  if (pairs > pairsPerUnit) chargeWork(pairs / pairsPerUnit)
}

/** Begins to count for an evaluation. Returns what `endWork` needs. */
export function beginWork(max: number): number {
  const around = left
  left = max
  return around
}

/** Ends what `beginWork` began. Returns the units that were taken. */
export function endWork(around: number, max: number): number {
  const taken = max === Number.POSITIVE_INFINITY ? 0 : max - left
  left = around
  return taken
}
