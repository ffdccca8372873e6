/** Which JSON may be left to the built-in parser. */

/** Digits of a number that `JSON.parse` may round. */
const longDigits = 16
/** Numbers that `JSON.parse` turns into Infinity: not what an identifier in quotes has of digits and an e. */
const largeExponent = /(?:^|[:,[\s])-?[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{3}/

/** True when `JSON.parse` reads a text of JSON as `JsonParser` does; false proves nothing. Called with every text that is not looked at for repeated fields. */
export function builtInWillDo(text: string, maxDepth: number): boolean {
  if (hasLongNumber(text) || largeExponent.test(text) || text.includes("\\ud") || text.includes("\\uD")) return false
  if (text.length <= maxDepth || opens(text, "{", maxDepth) + opens(text, "[", maxDepth) <= maxDepth) return true
  return nests(text) <= maxDepth
}

/** How deeply containers are nested. Of text that is no JSON any number: the parser finds that out. */
function nests(text: string): number {
  let [depth, deepest] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = closingQuote(text, at)
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x7d || code === 0x5d) depth--
  }
  return deepest
}

/** Of the string that begins at `start`; the end of the text where there is none. */
function closingQuote(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length
    let escapes = at
    while (text.charCodeAt(escapes - 1) === 0x5c) escapes--
    if ((at - escapes) % 2 === 0) return at
  }
}

/** Looks at one character in sixteen: so many digits in a row cannot hide between two of them. */
function hasLongNumber(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text.charCodeAt(at))) continue
    let first = at
    while (first > 0 && isDigit(text.charCodeAt(first - 1))) first--
    let last = at
    while (isDigit(text.charCodeAt(last + 1))) last++
    if (last - first + 1 >= longDigits) return true
    at = last
  }
  return false
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** How often `bracket` occurs, counted up to `enough` and one more. */
function opens(text: string, bracket: string, enough: number): number {
  let count = 0
  for (let at = text.indexOf(bracket); at >= 0 && count <= enough; at = text.indexOf(bracket, at + 1)) count++
  return count
}
