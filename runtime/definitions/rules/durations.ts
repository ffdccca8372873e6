/** Durations as custom objects may write them: those of Go, and `2 weeks 3 days`. */
import { DurationError, parseDuration } from "../../base/duration.ts"

const second = 1_000_000_000n
/** Names of a unit; a longer word that begins with the last one is the unit too. */
const units: readonly (readonly [bigint, ...string[]])[] = [
  [1n, "ns", "nano"],
  [1000n, "us", "µs", "micro"],
  [1_000_000n, "ms", "milli"],
  [second, "s", "sec"],
  [60n * second, "m", "min"],
  [3600n * second, "h", "hr", "hour"],
  [86_400n * second, "d", "day"],
  [604_800n * second, "w", "wk", "week"],
]

/** Returns the nanoseconds of a duration; undefined when the text is none. */
export function durationOf(text: string): bigint | undefined {
  try {
    return parseDuration(text)
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    return durationOfWords(text)
  }
}

function durationOfWords(text: string): bigint | undefined {
  let total: bigint | undefined
  for (const [, count = "", word = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = unitOf(word.toLowerCase())
    if (unit !== undefined) total = (total ?? 0n) + BigInt(count) * unit
  }
  return total === undefined ? undefined : BigInt.asIntN(64, total)
}

function unitOf(word: string): bigint | undefined {
  return units.find(([, ...names]) => names.includes(word) || word.startsWith(names.at(-1) ?? word))?.[0]
}
