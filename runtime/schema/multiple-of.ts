/** Exact division of decimal numbers: 0.3 is a multiple of 0.1, although the remainder of doubles says otherwise. */

/**
 * Whether `value` is a whole multiple of `step`. Both are taken as the decimals that JSON shows. Called by validation
 * of `multipleOf`; `step` is above 0.
 */
export function isMultipleOf(value: number | bigint, step: number): boolean {
  if (typeof value === "number" && Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0
  if (typeof value === "number" && !Number.isFinite(value)) return false
  const [of, by] = [decimal(value), decimal(step)]
  const exponent = Math.min(of.exponent, by.exponent)
  return scaled(of, exponent) % scaled(by, exponent) === 0n
}

/** digits × 10^exponent */
interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

/** The shortest decimal that reads as this number, which is how JSON writes it. */
function decimal(value: number | bigint): Decimal {
  const [mantissa = "0", exponent = "0"] = String(value).split("e")
  const [whole = "0", fraction = ""] = mantissa.split(".")
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}
