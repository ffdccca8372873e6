/**
 * Counts durations in buckets that grow by 2 %, so that a million latencies cost as much memory as ten, and histograms
 * of several processes can be added.
 */

const bucketsPerDoubling = 32
const doublings = 36
const smallestMs = 0.001

export interface Histogram {
  record(ms: number): void
  /** The duration that this share of the durations did not exceed; 0 when there are none. */
  percentile(share: number): number
  count(): number
  maxMs(): number
}

export function createHistogram(): Histogram {
  const counts = new Uint32Array(bucketsPerDoubling * doublings)
  let total = 0
  let highest = 0
  return {
    record(ms) {
      const bucket = ms <= smallestMs ? 0 : Math.ceil(Math.log2(ms / smallestMs) * bucketsPerDoubling)
      const index = Math.min(bucket, counts.length - 1)
      counts[index] = (counts[index] ?? 0) + 1
      total++
      if (ms > highest) highest = ms
    },
    percentile(share) {
      const wanted = Math.ceil(total * share)
      let seen = 0
      for (let index = 0; index < counts.length && wanted > 0; index++) {
        seen += counts[index] ?? 0
        if (seen >= wanted) return Math.min(highest, smallestMs * 2 ** (index / bucketsPerDoubling))
      }
      return 0
    },
    count: () => total,
    maxMs: () => highest,
  }
}
