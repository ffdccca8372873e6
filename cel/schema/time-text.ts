/** Texts of times and durations as the formats `date-time`, `date` and `duration` of schemas allow them. */
import { DurationError, parseDuration } from "../../runtime/base/duration.ts"
import { intMax, intMin } from "../values/number.ts"
import { Duration, Timestamp } from "../values/time.ts"
import { parseTimestamp } from "../values/timestamp-text.ts"

/** RFC 3339, or the same without a zone, which means UTC. Undefined when the text is not a time. */
export function readDateTime(text: string): Timestamp | undefined {
  if (text === "") return new Timestamp(0, 0)
  const time = parseTimestamp(text) ?? (/\dT[\d:.,]+$/.test(text) ? parseTimestamp(`${text}Z`) : undefined)
  return time instanceof Timestamp ? time : undefined
}

/** `2024-02-29`: midnight in UTC. */
export function readDate(text: string): Timestamp | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const time = parseTimestamp(`${text}T00:00:00Z`)
  return time instanceof Timestamp ? time : undefined
}

const second = 1_000_000_000n
/** The last name of a unit is a prefix: `seconds`, `secs`. */
const units: readonly (readonly [names: readonly string[], nanos: bigint])[] = [
  [["ns", "nano"], 1n],
  [["us", "µs", "micro"], 1_000n],
  [["ms", "milli"], 1_000_000n],
  [["s", "sec"], second],
  [["m", "min"], 60n * second],
  [["h", "hr", "hour"], 3_600n * second],
  [["d", "day"], 86_400n * second],
  [["w", "wk", "week"], 7n * 86_400n * second],
]

/** `1h30m`, or numbers with units in words: `2 days 3 hours`. Undefined when the text is neither. */
export function readDuration(text: string): Duration | undefined {
  try {
    return new Duration(parseDuration(text))
  } catch (fault) {
    if (fault instanceof DurationError) return readWords(text)
    throw fault
  }
}

/** Digits of the largest duration in nanoseconds. */
const digitsMax = 19

function readWords(text: string): Duration | undefined {
  let found = false
  let total = 0n
  // Match a number only at its first digit; trying each digit would make the search quadratic.
  for (const [, digits = "", word = ""] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    for (const nanos of unitsOf(word.toLowerCase())) {
      if (digits.replace(/^0+/, "").length > digitsMax) return undefined
      found = true
      total += BigInt(digits) * nanos
    }
  }
  return found && total >= intMin && total <= intMax ? new Duration(total) : undefined
}

function unitsOf(word: string): bigint[] {
  const fits = (names: readonly string[]): boolean => names.includes(word) || word.startsWith(names.at(-1) ?? word)
  return units.filter(([names]) => fits(names)).map(([, nanos]) => nanos)
}
