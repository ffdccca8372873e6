/** Cost limits of a definition's rules, estimated from the sizes that its schema allows. */

import { schemaCostMax } from "../limits.ts"

/** The largest cost: 64 bits. */
const unlimited = 2n ** 64n - 1n
const mostExpensiveMax = 4

export function multiplyCosts(cost: bigint, factor: bigint): bigint {
  const product = cost * factor
  return product > unlimited ? unlimited : product
}

/** The costs of all rules of a schema, and the paths of the most expensive ones. */
export class CostTotal {
  cost = 0n
  private expensive: { readonly path: string; readonly cost: bigint }[] = []

  add(path: string, cost: bigint): void {
    this.cost = this.cost + cost > unlimited ? unlimited : this.cost + cost
    // Omits costs below a hundredth of the limit.
    if (cost < schemaCostMax / 100n) return
    this.expensive.push({ path, cost })
    this.expensive.sort((one, other) => (one.cost > other.cost ? -1 : one.cost < other.cost ? 1 : 0))
    this.expensive = this.expensive.slice(0, mostExpensiveMax)
  }

  get mostExpensive(): readonly string[] {
    return this.expensive.map(({ path }) => path)
  }
}

/** `estimated rule cost exceeds budget by factor of 9.1x (try ...)`. */
export function costText(name: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit)
  const shown = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${oneDigit(factor)}x`
  const hint = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared"
  return `${name} exceeds budget by factor of ${shown} (${hint})`
}

/** Rounds to one digit; a tie becomes even, as in Go. */
function oneDigit(factor: number): string {
  const tenths = factor * 10
  const below = Math.floor(tenths)
  const isBetween = tenths - below === 0.5 && tenths / 10 === factor
  return isBetween && below % 2 === 0 ? (below / 10).toFixed(1) : factor.toFixed(1)
}
