/** Doubles as decimal texts with a given number of digits. They are exact: halves are rounded to even. */

const fractionDigitsMax = 1074

/** The double as `mantissa * 2^exponent`, without its sign. */
function partsOf(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xf_ffff_ffff_ffffn
  return biased === 0 ? { mantissa: fraction, exponent: -1074 } : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 }
}

/** `value * 10^power`, rounded to a whole number. */
function scaledInteger(value: number, power: number): bigint {
  const { mantissa, exponent } = partsOf(value)
  let numerator = mantissa
  let denominator = 1n
  if (exponent >= 0) numerator <<= BigInt(exponent)
  else denominator <<= BigInt(-exponent)
  if (power >= 0) numerator *= 10n ** BigInt(power)
  else denominator *= 10n ** BigInt(-power)
  const quotient = numerator / denominator
  const twice = (numerator % denominator) * 2n
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n)
  return up ? quotient + 1n : quotient
}

export interface Decimal {
  readonly whole: string
  readonly fraction: string
}

/** The digits of a finite number without its sign, with `digits` of them after the point. */
export function fixedDigits(value: number, digits: number): Decimal {
  const exact = Math.min(digits, fractionDigitsMax)
  const text = String(scaledInteger(value, exact)).padStart(exact + 1, "0")
  const point = text.length - exact
  return { whole: text.slice(0, point), fraction: text.slice(point).padEnd(digits, "0") }
}

/** The digits of a finite number without its sign: one before the point, `digits` after it, times a power of ten. */
export function scientificDigits(value: number, digits: number): Decimal & { readonly exponent: number } {
  if (value === 0) return { whole: "0", fraction: "0".repeat(digits), exponent: 0 }
  let exponent = Number(value.toExponential().split("e")[1])
  let text = String(scaledInteger(value, digits - exponent))
  // The shortest text of a number may be rounded up to the next power of ten.
  if (text.length !== digits + 1) {
    exponent += text.length - (digits + 1)
    text = String(scaledInteger(value, digits - exponent))
  }
  return { whole: text.slice(0, 1), fraction: text.slice(1), exponent }
}
