/** Histograms that are filled on the path of requests: an observation is a few comparisons and two additions. */
import type { HistogramSample } from "./histogram.ts"

/** Upper ends of durations in seconds, as in the reference. The objectives leave the shortest out. */
export const secondsEnds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]
export const objectiveFrom = secondsEnds.indexOf(0.05)

/** Numbers by the bucket they fall into; the last bucket has no end. */
export class Spread {
  readonly counts: Float64Array
  sum = 0

  constructor(readonly ends: readonly number[]) {
    this.counts = new Float64Array(ends.length + 1)
  }

  add(value: number): void {
    const { counts, ends } = this
    let at = 0
    while (at < ends.length && value > (ends[at] ?? 0)) at++
    counts[at] = (counts[at] ?? 0) + 1
    this.sum += value
  }
}

/** Returns the sum of spreads of durations; a single spread is returned itself. */
export function united(spreads: readonly Spread[]): Spread {
  const [first, ...others] = spreads
  if (first !== undefined && others.length === 0) return first
  const all = new Spread(secondsEnds)
  for (const { counts, sum } of spreads) {
    all.sum += sum
    for (const [at, count] of counts.entries()) all.counts[at] = (all.counts[at] ?? 0) + count
  }
  return all
}

/** The lines of a histogram from the bucket `from` on, which counts the lower buckets too. */
export function lines(labels: string, { counts, ends, sum }: Spread, from = 0): readonly HistogramSample[] {
  let below = 0
  const buckets: HistogramSample[] = []
  for (const [at, end] of ends.entries()) {
    below += counts[at] ?? 0
    if (at >= from) buckets.push([`${labels},le="${end < 1e6 ? end : end.toExponential().replace("+", "+0")}"`, below, "_bucket"])
  }
  const all = below + (counts[ends.length] ?? 0)
  return [...buckets, [`${labels},le="+Inf"`, all, "_bucket"], [labels, sum, "_sum"], [labels, all, "_count"]]
}
