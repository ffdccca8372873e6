/** Long ungrammatical texts, each a repetition of one or two units, which parsers are rarely written for. */
import { signs } from "../support/signs.ts"

/** Approximate bytes of each text: the limit of a request head. */
export const hammerCharacters = 250_000

/** The units of repetition. */
export const hammerUnits = [
  ...signs,
  ...["a", "Z", "_", "#", "$", "@", "~", "|", "^", "`", "ü", "漢", "😀", "\ud800", "\0", "\x01", "\n", "\r\n", "\x7f", "\u2028"],
]

/** Units that alternate: the separators of all grammars, with each other and with text that may come between them. */
const separators = [" ", ",", ";", "=", "/", "&", ".", "-", ":", '"', "\\", "(", "[", "{", "<a", "a=", "..", "\n"]

export interface HammerText {
  readonly name: string
  readonly text: string
}

/** `shapes`: text around a run of one unit. `units`: more of these. Lazy: all texts together take many megabytes. */
export function* hammerTexts(
  shapes: readonly (readonly [before: string, after: string])[],
  units: readonly string[] = [],
): Generator<HammerText> {
  for (const unit of [...hammerUnits, ...units]) for (const shape of shapes) yield textOf(unit, shape)
  for (const one of separators) for (const other of ["a", " ", "0,", '"/']) yield textOf(one + other, ["", ""])
}

function textOf(unit: string, [before, after]: readonly [string, string]): HammerText {
  const run = unit.repeat(Math.ceil(hammerCharacters / unit.length))
  return { name: `${JSON.stringify(before)} ${JSON.stringify(unit)}... ${JSON.stringify(after)}`, text: before + run + after }
}
