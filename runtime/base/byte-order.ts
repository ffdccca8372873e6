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

/** Sorts in place. Costs one comparison for each text when they are in order already. */
export function sortByBytes(texts: string[]): string[] {
  if (isSorted(texts)) return texts
  texts.sort()
  return isSorted(texts) ? texts : texts.sort(compareBytes)
}

function isSorted(texts: readonly string[]): boolean {
  let before = ""
  for (const text of texts) {
    if (compareBytes(before, text) > 0) return false
    before = text
  }
  return true
}
