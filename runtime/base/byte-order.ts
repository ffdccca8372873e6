/**
 * The order of texts by their UTF-8 bytes, in which the reference sorts keys and names. JavaScript compares UTF-16
 * units, which differs between surrogate pairs and U+E000 to U+FFFF.
 */

/** For sorting. */
export function compareBytes(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a !== b) return rank(a) - rank(b)
  }
  return left.length - right.length
}

/** Surrogates encode code points above all other units, so they sort last. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

const surrogate = /[\ud800-\udfff]/

/** Whether a text may sort differently by UTF-8 bytes and by UTF-16 units. Costs next to nothing for Latin text. */
export function hasSurrogate(text: string): boolean {
  return surrogate.test(text)
}

/** Sorts in place. */
export function sortByBytes(texts: string[]): string[] {
  texts.sort()
  return texts.some(hasSurrogate) ? texts.sort(compareBytes) : texts
}
