/**
 * Quantities: fixed-point numbers with a suffix (`100m`, `1.5Gi`, `2e3`). They are read, compared and written exactly
 * as the reference server does, because objects carry the text it would have written.
 *
 *     quantity = [sign] digits [. digits] suffix suffix = n u m k M G T P E | Ki Mi Gi Ti Pi Ei | (e|E)[sign]digits
 *
 * Canonical text has no fraction and the largest suffix that loses nothing: `1.5` is `1500m`, `1.5Gi` is `1536Mi`.
 * Nearly canonical text is kept as it was sent (`+5`, `1.123G`), as the reference does.
 *
 * Two deviations, both for safety: exponents beyond `exponentMax` and texts beyond `lengthMax` are refused rather than
 * computed, and values of 10^21 and more keep the suffix `E` (the reference drops it and so changes the value).
 */
import { knownQuantitiesMax } from "./limits.ts"
import type { JsonValue } from "./json.ts"
import { detachString } from "./own-text.ts"

export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent"

/** The number `mantissa * 10^exponent`. Immutable. */
export interface Quantity {
  readonly mantissa: bigint
  /** At least -9: finer values are rounded away from zero when read. */
  readonly exponent: number
  /** The family of suffixes that the text had and keeps. */
  readonly format: QuantityFormat
  /** The original text, when the reference would keep it. */
  readonly text?: string
  /** The text has too many digits for the reference's 64-bit integers: to expressions it is no integer then. */
  readonly unlimited?: true
}

/** The text is not a quantity; the message says why in the reference's words. */
export class QuantityError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "QuantityError"
  }
}

const exponentMax = 999
const lengthMax = 1024
const nano = -9
const int64Max = 2n ** 63n - 1n
/** The reference handles this many digits without its slow path, and keeps original texts only there. */
const fastDigits = 18

const decimalSuffixes: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
const decimalByExponent = new Map(Object.entries(decimalSuffixes).map(([suffix, exponent]) => [exponent, suffix]))
const binaryByPower = new Map(Object.entries(binarySuffixes).map(([suffix, power]) => [power, suffix]))

/** Suffixes with which a number of three digits always fits 64 bits. */
const plainSuffixes: ReadonlySet<string> = new Set(["n", "u", "m", "", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi"])

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const suffixWrong = "unable to parse quantity's suffix"
/** The suffix cannot begin with a digit, since the number before it takes all digits. */
const syntax = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*|)$/

interface Suffix {
  readonly format: QuantityFormat
  /** Power of ten, or of two for BinarySI. */
  readonly exponent: number
}

const known = new Map<string, Quantity>()
const knownCharactersMax = 16

/**
 * Parses a quantity; memoized. Throws QuantityError. Called on every Quantity field of a decoded object, by its rules
 * and by sums, so it accepts numbers too.
 */
export function parseQuantity(value: JsonValue): Quantity {
  if (typeof value === "number" || typeof value === "bigint") return parseQuantity(String(value))
  if (typeof value !== "string") throw new QuantityError(formatWrong)
  const before = known.get(value)
  if (before !== undefined) return before
  if (value.length > knownCharactersMax) return readQuantity(value)
  const own = detachString(value)
  const quantity = readQuantity(own)
  if (known.size >= knownQuantitiesMax) known.clear()
  known.set(own, quantity)
  return quantity
}

function readQuantity(value: string): Quantity {
  const text = value.trim()
  if (text === "" || text.length > lengthMax) throw new QuantityError(formatWrong)
  const match = syntax.exec(text)
  if (match === null) throw new QuantityError(formatWrong)
  const [, sign = "", digits = "", fraction = "", suffixText = ""] = match
  const suffix = parseSuffix(suffixText)
  const whole = digits.replace(/^0+/, "") || "0"
  const unsigned = BigInt(whole + fraction)
  const fast = fastQuantity({ whole, fraction, suffix, sign, text, unsigned })
  if (fast !== undefined) return fast
  if (digits === "" && fraction === "") throw new QuantityError("unable to parse numeric part of quantity")
  return slowQuantity({ fraction, suffix, sign, unsigned })
}

function parseSuffix(text: string): Suffix {
  const decimal = decimalSuffixes[text]
  if (decimal !== undefined) return { format: "DecimalSI", exponent: decimal }
  const binary = binarySuffixes[text]
  if (binary !== undefined) return { format: "BinarySI", exponent: binary }
  if (!/^[eE][-+]?[0-9]+$/.test(text)) throw new QuantityError(suffixWrong)
  const exponent = Number(text.slice(1))
  if (Math.abs(exponent) > exponentMax) throw new QuantityError(suffixWrong)
  return { format: "DecimalExponent", exponent }
}

/** The reference's path for numbers that fit its 64-bit integers: exact, and the only one that keeps original texts. */
function fastQuantity(parts: {
  whole: string
  fraction: string
  suffix: Suffix
  sign: string
  text: string
  unsigned: bigint
}): Quantity | undefined {
  const { whole, fraction, suffix, sign, text, unsigned } = parts
  const signed = sign === "-" ? -unsigned : unsigned
  if (suffix.format === "BinarySI") {
    if (fraction !== "" || 15 - whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1 < 0) return undefined
    const mantissa = signed * 2n ** BigInt(suffix.exponent)
    if (unsigned * 2n ** BigInt(suffix.exponent) > int64Max) return undefined
    return { mantissa, exponent: 0, format: suffix.format, ...((unsigned & 7n) !== 0n && { text }) }
  }
  const exponent = suffix.exponent - fraction.length
  const shifted = whole + fraction
  if (shifted.length > fastDigits || exponent < nano) return undefined
  const kept = exponent % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0")
  return { mantissa: signed, exponent, format: suffix.format, ...(kept && { text }) }
}

function slowQuantity(parts: { fraction: string; suffix: Suffix; sign: string; unsigned: bigint }): Quantity {
  const { fraction, suffix, sign } = parts
  const binary = suffix.format === "BinarySI"
  const exponent = (binary ? 0 : suffix.exponent) - fraction.length
  let amount = rescaleUp(binary ? parts.unsigned * 2n ** BigInt(suffix.exponent) : parts.unsigned, exponent, Math.max(exponent, nano))
  let format = suffix.format
  let scale = Math.max(exponent, nano)
  if (binary) {
    const one = 10n ** BigInt(-scale)
    if (amount > int64Max * one) {
      amount = int64Max
      scale = 0
    } else if (amount > 0n && amount < one) format = "DecimalSI"
  }
  return { mantissa: sign === "-" ? -amount : amount, exponent: scale, format, unlimited: true }
}

/** `amount * 10^from` in units of `10^to`, rounded away from zero. */
function rescaleUp(amount: bigint, from: number, to: number): bigint {
  if (from >= to) return amount * 10n ** BigInt(from - to)
  const divisor = 10n ** BigInt(to - from)
  const quotient = amount / divisor
  if (amount % divisor === 0n) return quotient
  return amount > 0n ? quotient + 1n : quotient - 1n
}

/** Returns the text that the server stores and sends. Called when objects are written. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text
  if (quantity.mantissa === 0n) return "0"
  if (quantity.format === "BinarySI") {
    const small = compareQuantities(absolute(quantity), { mantissa: 1024n, exponent: 0, format: "DecimalSI" }) < 0
    const value = quantityValue(quantity)
    if (!small && compareQuantities(quantity, { mantissa: value, exponent: 0, format: "BinarySI" }) === 0) return formatBinary(value)
  }
  return formatDecimal(quantity)
}

function formatBinary(value: bigint): string {
  let amount = value
  let power = 0
  while (power < 60 && amount % 1024n === 0n) {
    amount /= 1024n
    power += 10
  }
  return `${amount}${binaryByPower.get(power) ?? ""}`
}

function formatDecimal(quantity: Quantity): string {
  let { mantissa, exponent } = quantity
  while (mantissa % 10n === 0n) {
    mantissa /= 10n
    exponent += 1
  }
  const largest = quantity.format === "DecimalExponent" ? exponent : Math.min(exponent, 18)
  const target = Math.floor(largest / 3) * 3
  mantissa *= 10n ** BigInt(exponent - target)
  if (quantity.format === "DecimalExponent") return target === 0 ? String(mantissa) : `${mantissa}e${target}`
  return `${mantissa}${decimalByExponent.get(target) ?? ""}`
}

function absolute(quantity: Quantity): Quantity {
  return { ...quantity, mantissa: quantity.mantissa < 0n ? -quantity.mantissa : quantity.mantissa }
}

/** Returns the canonical text of a decoded Quantity field; null reads as zero. Throws QuantityError. */
export function canonicalQuantity(value: JsonValue): string {
  if (value === null) return "0"
  return typeof value === "string" && isPlain(value) ? value : formatQuantity(parseQuantity(value))
}

const plainDigitsMax = 3

/**
 * True for the most common texts, such as `100m` and `256Mi`: a number from 1 to 999 is too small for a larger suffix,
 * so it is canonical.
 */
function isPlain(text: string): boolean {
  const first = text.charCodeAt(0)
  if (!(first >= 0x31 && first <= 0x39)) return false
  let digits = 1
  for (let code = text.charCodeAt(digits); code >= 0x30 && code <= 0x39; code = text.charCodeAt(digits)) {
    if (++digits > plainDigitsMax) return false
  }
  return plainSuffixes.has(text.slice(digits))
}

/** Says what is wrong with a decoded Quantity field; undefined when it is valid. */
export function quantityFault(value: JsonValue): string | undefined {
  try {
    parseQuantity(value)
    return undefined
  } catch (error) {
    if (error instanceof QuantityError) return error.message
    throw error
  }
}

/** Returns -1, 0 or 1. Formats do not matter: `1k` equals `1e3`. */
export function compareQuantities(left: Quantity, right: Quantity): -1 | 0 | 1 {
  const exponent = Math.min(left.exponent, right.exponent)
  const difference = rescaleUp(left.mantissa, left.exponent, exponent) - rescaleUp(right.mantissa, right.exponent, exponent)
  return difference === 0n ? 0 : difference < 0n ? -1 : 1
}

/**
 * Returns the exact sum, in the left format unless the left is zero. Called by quota and by defaults that sum requests.
 */
export function addQuantities(left: Quantity, right: Quantity): Quantity {
  const exponent = Math.min(left.exponent, right.exponent)
  const mantissa = rescaleUp(left.mantissa, left.exponent, exponent) + rescaleUp(right.mantissa, right.exponent, exponent)
  return { mantissa, exponent, format: left.mantissa === 0n ? right.format : left.format }
}

/** Returns the amount with the opposite sign. */
export function negateQuantity(quantity: Quantity): Quantity {
  return { mantissa: -quantity.mantissa, exponent: quantity.exponent, format: quantity.format }
}

/** Returns -1, 0 or 1. */
export function quantitySign(quantity: Quantity): -1 | 0 | 1 {
  return quantity.mantissa === 0n ? 0 : quantity.mantissa < 0n ? -1 : 1
}

/** Whole units, fractions rounded away from zero: `1500m` is 2. */
export function quantityValue(quantity: Quantity): bigint {
  return rescaleUp(quantity.mantissa, quantity.exponent, 0)
}

/** Thousandths, finer fractions rounded away from zero: `1500m` is 1500. */
export function quantityMilliValue(quantity: Quantity): bigint {
  return rescaleUp(quantity.mantissa, quantity.exponent, -3)
}

/** Rounds away from zero to three decimals, as defaults do with the resources of containers. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  if (quantity.exponent >= -3) return quantity
  return { mantissa: quantityMilliValue(quantity), exponent: -3, format: quantity.format }
}
