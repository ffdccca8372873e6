/** Texts for headers, parameters and bodies: grammatical, nearly so, or not at all. */
import type { SeededRandom } from "../sim/world/random.ts"
import { signs } from "../support/signs.ts"
import { nonEmpty } from "./objects.ts"

const pieces = nonEmpty([
  ...signs,
  ...["a", "in", "notin", "a=b", "!a", "in (", "..", "//", "a/b", "q=0.5", "\u00fc", "%00", "%ff", "a,", "1,", "a-", "0.", "<a ", '="'],
])

/** A run of one or two of the given pieces, sometimes long. */
export function runOf(random: SeededRandom, charactersMax: number): string {
  const run = random.chance(0.5) ? random.pick(pieces) : random.pick(pieces) + random.pick(pieces)
  const length = random.pick([1, 3, 100, charactersMax, charactersMax])
  return run.repeat(Math.max(1, Math.floor(Math.min(length, charactersMax) / run.length)))
}

/** A text that is nearly one of `good`: with a run inserted somewhere, or repeated. */
export function nearly(random: SeededRandom, good: readonly string[], charactersMax: number): string {
  const text = random.pick(nonEmpty(good))
  const at = random.integer(text.length + 1)
  const choice = random.integer(5)
  if (choice === 0) return text
  if (choice === 1) return text.repeat(Math.max(1, Math.floor(random.pick([3, charactersMax]) / Math.max(1, text.length))))
  if (choice === 2) return runOf(random, charactersMax)
  return text.slice(0, at) + runOf(random, charactersMax) + text.slice(at)
}

/** Many different parts of one text: `!k0,!k1,...`. */
export function manyParts(random: SeededRandom, parts: readonly ((index: number) => string)[], separator: string): string {
  const part = random.pick(nonEmpty(parts))
  return Array.from({ length: random.pick([10, 300, 3000, 20_000]) }, (_, index) => part(index)).join(separator)
}

/** Mutates octets here and there: cuts, inserts, repeats. */
export function mutated(random: SeededRandom, bytes: Buffer): Buffer {
  let result = bytes
  for (let times = 1 + random.integer(4); times > 0; times--) {
    const at = random.integer(result.length + 1)
    const to = Math.min(result.length, at + random.pick([0, 1, 4, 64]))
    const repeated = result.subarray(at, to)
    const times2 = random.pick([1, 2, 2000])
    const insert = random.chance(0.5) ? random.bytes(random.pick([1, 4])) : Buffer.concat(Array.from({ length: times2 }, () => repeated))
    result = Buffer.concat([result.subarray(0, at), insert, result.subarray(random.chance(0.5) ? at : to)])
  }
  return result.length > 3_000_000 ? result.subarray(0, 3_000_000) : result
}

const openings = nonEmpty([
  "[",
  "{",
  '{"a":',
  "- ",
  "a: ",
  "{\n",
  "? ",
  "&a [",
  "[{",
  '"',
  "'",
  "*a ",
  "!!str ",
  "| ",
  '"a":1,',
  "\x0a\x02a:",
  "\x12\x00",
  "\n",
])

/** Long runs of openings without ends, which readers of nested text must not follow. */
export function hostileText(random: SeededRandom, length: number): string {
  const run = random.chance(0.7) ? random.pick(openings) : runOf(random, 10)
  const start = random.pick(["", "", '{"apiVersion":"v1","kind":"ConfigMap","data":{', "apiVersion: v1\nkind: ConfigMap\ndata: ", "k8s\0"])
  return start + run.repeat(Math.ceil(length / run.length)) + random.pick(["", "}", "x"])
}
