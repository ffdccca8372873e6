/**
 * Durations as the API writes them: `1h30m`, `1.5s`, `-2ms`. Nanoseconds are bigint, because protobuf carries them as a
 * 64-bit number. Syntax, limits and messages follow Go, the reference's language.
 */
import type { JsonValue } from "./json.ts"
import { cut } from "./quote.ts"
import { trimmedEnd } from "./trim.ts"

/** The text is not a duration; the message says why. */
export class DurationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "DurationError"
  }
}

const second = 1_000_000_000n
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
}
const limit = 2n ** 63n
const lengthMax = 256

/** Parses a duration into nanoseconds; `0` needs no unit. Throws DurationError. */
export function parseDuration(text: string): bigint {
  if (text.length > lengthMax) throw invalid(text)
  const negative = text.startsWith("-")
  let rest = negative || text.startsWith("+") ? text.slice(1) : text
  if (rest === "0") return 0n
  if (rest === "") throw invalid(text)
  let total = 0n
  while (rest !== "") {
    const number = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest)
    const [all = "", whole = "", fraction = ""] = number ?? []
    if (whole === "" && fraction === "") throw invalid(text)
    rest = rest.slice(all.length)
    const name = /^[^0-9.]*/.exec(rest)?.[0] ?? ""
    if (name === "") throw new DurationError(`time: missing unit in duration ${JSON.stringify(text)}`)
    const unit = Object.hasOwn(units, name) ? units[name] : undefined
    if (unit === undefined) throw new DurationError(`time: unknown unit ${JSON.stringify(name)} in duration ${JSON.stringify(text)}`)
    total += BigInt(whole || "0") * unit + (BigInt(fraction || "0") * unit) / 10n ** BigInt(fraction.length)
    if (total > limit) throw invalid(text)
    rest = rest.slice(name.length)
  }
  if (!negative && total === limit) throw invalid(text)
  return negative ? -total : total
}

function invalid(text: string): DurationError {
  return new DurationError(`time: invalid duration ${JSON.stringify(cut(text))}`)
}

/** The canonical text: `1h30m0s`, `1.5s`, `250ms`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s"
  if (nanoseconds < 0n) return `-${formatDuration(-nanoseconds)}`
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 1_000n)}µs`
  if (nanoseconds < second) return `${decimal(nanoseconds, 1_000_000n)}ms`
  const minutes = nanoseconds / (60n * second)
  const seconds = decimal(nanoseconds % (60n * second), second)
  if (minutes === 0n) return `${seconds}s`
  return minutes < 60n ? `${minutes}m${seconds}s` : `${minutes / 60n}h${minutes % 60n}m${seconds}s`
}

function decimal(amount: bigint, unit: bigint): string {
  const digits = String(unit).length - 1
  const fraction = trimmedEnd(String(amount % unit).padStart(digits, "0"), "0")
  return fraction === "" ? String(amount / unit) : `${amount / unit}.${fraction}`
}

/** Says what is wrong with a decoded Duration field; undefined when it is valid. */
export function durationFault(value: JsonValue): string | undefined {
  if (typeof value !== "string") return 'must be a duration such as "1h30m" or "500ms"'
  try {
    parseDuration(value)
    return undefined
  } catch (error) {
    if (error instanceof DurationError) return error.message
    throw error
  }
}
