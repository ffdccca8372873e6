/** "Did you mean": the closest valid word to a mistyped one. Used by every diagnostic that lists the expected words. */

/**
 * Returns the valid word with the smallest edit distance (swapping neighbouring letters counts as one edit). Undefined
 * when none is close enough to be a slip: more than a third of the word would have to change. A word that differs only
 * in case is always close.
 */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  const lower = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(Math.max(word.length, 3) / 3)) + 1
  for (const candidate of words) {
    const lowerCandidate = candidate.toLowerCase()
    if (Math.abs(lowerCandidate.length - lower.length) >= bestDistance) continue
    const distance = lower === lowerCandidate ? 0 : editDistance(lower, lowerCandidate)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Optimal string alignment: insert, delete, replace and swap of neighbours cost one each. */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const replace = at(previous, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1)
      let cost = Math.min(at(previous, column) + 1, at(current, column - 1) + 1, replace)
      const swapped = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      if (swapped) cost = Math.min(cost, at(beforePrevious, column - 2) + 1)
      current.push(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, right.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.MAX_SAFE_INTEGER
}
