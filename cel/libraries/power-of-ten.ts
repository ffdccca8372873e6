const step = 32
const smallest = -323
const largest = 308

/**
 * 10 to a power as Go computes it: the product or the quotient of two exact entries of a table, so the last bit may
 * differ from the nearest double's.
 */
export function powerOfTen(power: number): number {
  if (power < smallest) return 0
  if (power > largest) return Number.POSITIVE_INFINITY
  const distance = Math.abs(power)
  const fine = Number(`1e${distance % step}`)
  const coarse = distance - (distance % step)
  return power >= 0 ? Number(`1e${coarse}`) * fine : Number(`1e-${coarse}`) / fine
}
