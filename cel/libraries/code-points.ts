/** Strings by code points: expressions count offsets in code points, JavaScript in UTF-16 units. */
import { chargeText, chargeWork } from "../work.ts"

const surrogate = /[\ud800-\udfff]/

/** Characters that are visited one by one in the time of a unit of work. */
const charactersPerUnit = 5

/** True when code points and units of UTF-16 are the same, as in nearly every text. */
function isPlain(text: string): boolean {
  chargeText(text)
  return !surrogate.test(text)
}

export function countCodePoints(text: string): number {
  if (isPlain(text)) return text.length
  chargeWork(text.length / charactersPerUnit)
  let count = 0
  for (const _ of text) count++
  return count
}

/** The offset in units of a code point's index, which lies within the text or at its end. */
export function unitOffset(text: string, index: number): number {
  if (isPlain(text)) return index
  chargeWork(index / charactersPerUnit)
  let offset = 0
  for (let seen = 0; seen < index; seen++) offset += widthAt(text, offset)
  return offset
}

/** The index of the code point that begins at an offset in units. */
export function codePointIndex(text: string, offset: number): number {
  return isPlain(text) ? offset : countCodePoints(text.slice(0, offset))
}

/** The part of a text between two indices of code points. */
export function sliceCodePoints(text: string, start: number, end: number): string {
  if (isPlain(text)) return text.slice(start, end)
  const from = unitOffset(text, start)
  return text.slice(from, from + unitOffset(text.slice(from), end - start))
}

export function codePointsOf(text: string): string[] {
  chargeWork(text.length)
  return Array.from(text)
}

function widthAt(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
}
