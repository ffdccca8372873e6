/** Random texts near YAML: sequences of pieces of its syntax, and the cases of the suite with changes. */
import type { SeededRandom } from "../sim/world/random.ts"

const pieces: readonly string[] = [
  ...["a", "a: 1\n", "a: 2\n", "1: x\n", "b: ", "- ", "? ", ": ", ":", "\n", "\n  ", "\n ", "  ", "\t", "\r\n", "\r"],
  ...["[", "]", "{", "}", ",", ", ", "#", " # c\n", "&x ", "*x", "*x ", "<<: ", "<<: *x", "<<"],
  ...["!!str ", "!!int ", "!!float ", "!!binary ", "!!null ", "!!bool ", "!!timestamp ", "!!omap\n", "!!set ", "!a ", "! "],
  ...["!<tag:yaml.org,2002:int> ", "%YAML 1.1\n", "%TAG ! tag:x,2000:\n", "---", "---\n", "...\n", "%", "@", "`", "=", "?", "-"],
  ...["|", ">", "|-\n  ", ">+\n ", "|2\n", "'", '"', "''", "\\n", "\\\n", "\\x41", "\\u00e9", "é", "😁", "\u2028", "\x85", "\ufeff"],
  ...["yes", "no", "~", "null", "1", "0", "07", "0x1F", "0b11", "0b-1", "1_000", "1.5", "1e3", ".5", "-.inf", "+1", "-0", "089"],
  ...["0o17", "1_2.3_4", "1e6: ", "1000000.0: ", "true: ", "2020-01-01", "9223372036854775808", "18446744073709551615"],
  ...["18446744073709551616", "key: value\n", "k: v\n", "x:\n", "- x\n", "a b", "aGVsbG8="],
]

/** A text of the suite with changes, or a sequence of pieces. `suite` is not empty. */
export function randomYaml(random: SeededRandom, suite: readonly string[]): string {
  if (random.chance(0.5)) return changed(random, pickFrom(random, suite), suite)
  const text = Array.from({ length: 1 + random.integer(14) }, () => pickFrom(random, pieces)).join("")
  return random.chance(0.5) ? text : changed(random, text, suite)
}

function changed(random: SeededRandom, original: string, suite: readonly string[]): string {
  let text = original
  for (let times = 1 + random.integer(4); times > 0; times--) text = changedOnce(random, text, suite)
  // Lone surrogates cannot be sent.
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
}

function changedOnce(random: SeededRandom, text: string, suite: readonly string[]): string {
  const at = random.integer(text.length + 1)
  const [before, after] = [text.slice(0, at), text.slice(at)]
  switch (random.integer(5)) {
    case 0:
      return before + pickFrom(random, pieces) + after
    case 1:
      return before + after.slice(1 + random.integer(3))
    case 2:
      return before + partOf(random, pickFrom(random, suite), 12) + after
    case 3:
      return before + partOf(random, text, 10) + after
    default:
      return before + pickFrom(random, pieces) + after.slice(1)
  }
}

function partOf(random: SeededRandom, text: string, lengthMax: number): string {
  const from = random.integer(text.length + 1)
  return text.slice(from, from + random.integer(lengthMax))
}

function pickFrom(random: SeededRandom, texts: readonly string[]): string {
  return texts[random.integer(texts.length)] ?? ""
}
