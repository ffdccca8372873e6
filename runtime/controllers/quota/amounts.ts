/** Amounts by resource name. */
import { addQuantities, compareQuantities, negateQuantity, parseQuantity, type Quantity, quantitySign } from "../../base/quantity.ts"

export type Amounts = ReadonlyMap<string, Quantity>

export const one: Quantity = parseQuantity("1")
export const zero: Quantity = parseQuantity("0")

export function whole(count: number): Quantity {
  return parseQuantity(String(count))
}

/** The amounts of a decoded map of quantities. */
export function amountsOf(texts: Readonly<Record<string, string>> | undefined): Map<string, Quantity> {
  return new Map(Object.entries(texts ?? {}).map(([name, text]) => [name, parseQuantity(text)]))
}

export function add(to: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) to.set(name, addQuantities(to.get(name) ?? zero, amount))
}

/** Removes names whose amount becomes zero. */
export function subtract(from: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const left = addQuantities(from.get(name) ?? zero, negateQuantity(amount))
    if (quantitySign(left) === 0) from.delete(name)
    else from.set(name, left)
  }
}

/** Keeps the larger amount of each name. */
export function raise(to: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const before = to.get(name)
    if (before === undefined || compareQuantities(before, amount) < 0) to.set(name, amount)
  }
}

/** Whether two decoded maps have the same names with equal amounts, however the amounts are written. */
export function sameAmounts(
  left: Readonly<Record<string, string>> | undefined,
  right: Readonly<Record<string, string>> | undefined,
): boolean {
  const [one, other] = [amountsOf(left), amountsOf(right)]
  return one.size === other.size && [...one].every(([name, amount]) => isEqual(amount, other.get(name)))
}

function isEqual(left: Quantity, right: Quantity | undefined): boolean {
  return right !== undefined && compareQuantities(left, right) === 0
}
