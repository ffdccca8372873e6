import { backslash, closeBrace, openBrace, quote } from "./punctuation.ts"

/** Index after the object that begins at `start` in a JSON text; -1 if there is none. */
export function endOfObject(text: string, start: number): number {
  if (text.charCodeAt(start) !== openBrace) return -1
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at)
    else if (code === openBrace) depth++
    else if (code === closeBrace && --depth === 0) return at + 1
  }
  return -1
}

/** Index of the closing quote of the string that opens at `start`. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at++
  }
  return text.length
}
