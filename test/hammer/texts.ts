/** Long texts without any grammar, each of one or two things again and again: what no writer of a parser thought of. */
import { signs } from "../support/signs.ts"

/** Bytes of each text, about: what a head of a request may have. */
export const hammerCharacters = 250_000

/** What a text is made of, again and again. */
export const hammerUnits = [
  ...signs,
  ...["a", "Z", "_", "#", "$", "@", "~", "|", "^", "`", "ü", "漢", "😀", "\ud800", "\0", "\x01", "\n", "\r\n", "\x7f", "\u2028"],
]

/** Units that alternate: the separators of every grammar with what may stand between them, and with each other. */
const separators = [" ", ",", ";", "=", "/", "&", ".", "-", ":", '"', "\\", "(", "[", "{", "<a", "a=", "..", "\n"]

export interface HammerText {
  readonly name: string
  readonly text: string
}

/** `shapes`: what may stand around a run of one thing. Lazy, since all together are many megabytes. */
export function* hammerTexts(shapes: readonly (readonly [before: string, after: string])[]): Generator<HammerText> {
  for (const unit of hammerUnits) for (const shape of shapes) yield textOf(unit, shape)
  for (const one of separators) for (const other of ["a", " ", "0,", '"/']) yield textOf(one + other, ["", ""])
}

function textOf(unit: string, [before, after]: readonly [string, string]): HammerText {
  const run = unit.repeat(Math.ceil(hammerCharacters / unit.length))
  return { name: `${JSON.stringify(before)} ${JSON.stringify(unit)}... ${JSON.stringify(after)}`, text: before + run + after }
}
