/**
 * Numbers in texts, as Go's `strconv` reads them: no spaces, no other bases, no digits of other scripts. Integers are
 * `number` where that is exact.
 */

/** More digits, without zeros in front, are no 64-bit number; converting many takes long. */
const digitsMax = 20

const [int64Min, int64Max, uint64Max] = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n]

/** `strconv.ParseInt(text, 10, 64)`: undefined for a text that names no 64-bit integer. */
export function int64Of(text: string): number | bigint | undefined {
  return /^[+-]?\d+$/.test(text) ? within(text, int64Min, int64Max) : undefined
}

/** `strconv.ParseUint(text, 10, 64)`, as `int64Of`. */
export function uint64Of(text: string): number | bigint | undefined {
  return /^\d+$/.test(text) ? within(text, 0n, uint64Max) : undefined
}

/** The finite number that a text names in decimal; undefined when it names none. */
export function decimalOf(text: string): number | undefined {
  const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/** Cut toward zero; undefined at both ends of the range of 64 bits and beyond, as in CEL. */
export function int64OfNumber(value: number): number | bigint | undefined {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return undefined
  // Adding 0 makes 0 of -0.
  const whole = Math.trunc(value) + 0
  return Number.isSafeInteger(whole) ? whole : BigInt(whole)
}

function within(text: string, min: bigint, max: bigint): number | bigint | undefined {
  const digits = text.replace(/^[+-]?0*/, "")
  if (digits.length > digitsMax) return undefined
  const value = BigInt(digits) * (text.startsWith("-") ? -1n : 1n)
  return value < min || value > max ? undefined : exact(value)
}

function exact(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
