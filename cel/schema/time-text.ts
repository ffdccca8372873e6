/** Texts of times and durations as the formats `date-time`, `date` and `duration` of schemas allow them. */
import { DurationError, parseDuration } from "../../runtime/base/duration.ts"
import { intMax, intMin } from "../values/number.ts"
import { Duration, Timestamp } from "../values/time.ts"
import { parseTimestamp } from "../values/timestamp-text.ts"

/** RFC 3339, or the same without a zone, which is UTC. Undefined when the text is no time. */
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
/** The last name of a unit may go on: `seconds`, `secs`. */
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

/** Of the largest duration in nanoseconds. */
const digitsMax = 19

function readWords(text: string): Duration | undefined {
  let found = false
  let total = 0n
  // A number begins where no digit stands before: begun at each of its digits, the search would be quadratic.
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
