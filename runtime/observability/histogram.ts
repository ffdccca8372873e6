/** Durations of one sort of work by their labels, as Prometheus counts them. */

/** One line of a metric: labels in their written form, the value, and what follows the metric's name. */
export type HistogramSample = readonly [labels: string, value: number, suffix: "_bucket" | "_sum" | "_count"]

interface Series {
  /** How many durations were in each bucket, without those of the buckets below it. */
  readonly counts: number[]
  sum: number
  count: number
}

/** Created once per metric. */
export class Histogram {
  private readonly series = new Map<string, Series>()

  /** `buckets`: upper ends in seconds, ascending. `seriesMax`: labels that are kept; the oldest go. */
  constructor(private readonly options: { readonly buckets: readonly number[]; readonly seriesMax: number }) {}

  /** Adds a duration. `labels`: in their written form, without braces. */
  observe(labels: string, seconds: number): void {
    const { buckets, seriesMax } = this.options
    let series = this.series.get(labels)
    if (series === undefined) {
      series = { counts: buckets.map(() => 0), sum: 0, count: 0 }
      const [oldest] = this.series.keys()
      if (this.series.size >= seriesMax && oldest !== undefined) this.series.delete(oldest)
      this.series.set(labels, series)
    }
    const at = buckets.findIndex((end) => seconds <= end)
    if (at >= 0) series.counts[at] = (series.counts[at] ?? 0) + 1
    series.sum += seconds
    series.count++
  }

  /** All lines, for `/metrics`. */
  samples(): readonly HistogramSample[] {
    const { buckets } = this.options
    return [...this.series].flatMap(([labels, { counts, sum, count }]) => {
      let below = 0
      const lines = counts.map((own, index): HistogramSample => {
        below += own
        return [`${labels},le="${buckets[index]}"`, below, "_bucket"]
      })
      return [...lines, [`${labels},le="+Inf"`, count, "_bucket"], [labels, sum, "_sum"], [labels, count, "_count"]]
    })
  }
}
