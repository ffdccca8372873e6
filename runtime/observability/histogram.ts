/** Durations of one sort of work by their labels, as Prometheus counts them. */

/** One line of a metric: labels in their written form, the value, and what follows the metric's name. */
export type HistogramSample = readonly [labels: string, value: number, suffix: "_bucket" | "_sum" | "_count"]

/** Durations with the same labels. Requests keep it, so that an observation looks nothing up. */
export class HistogramSeries {
  /** How many durations were in each bucket, without the durations of lower buckets. */
  private readonly counts: number[]
  private sum = 0
  private count = 0

  constructor(private readonly buckets: readonly number[]) {
    this.counts = buckets.map(() => 0)
  }

  observe(seconds: number): void {
    const { buckets, counts } = this
    this.sum += seconds
    this.count++
    for (let index = 0; index < buckets.length; index++) {
      if (seconds > (buckets[index] ?? 0)) continue
      counts[index] = (counts[index] ?? 0) + 1
      return
    }
  }

  /** All lines. */
  samples(labels: string): readonly HistogramSample[] {
    let below = 0
    const lines = this.counts.map((own, index): HistogramSample => {
      below += own
      return [`${labels},le="${this.buckets[index]}"`, below, "_bucket"]
    })
    return [...lines, [`${labels},le="+Inf"`, this.count, "_bucket"], [labels, this.sum, "_sum"], [labels, this.count, "_count"]]
  }
}

/** Created once per metric. */
export class Histogram {
  private readonly known = new Map<string, HistogramSeries>()

  /** `buckets`: upper ends in seconds, ascending. `seriesMax`: labels that are kept; the oldest go. */
  constructor(private readonly options: { readonly buckets: readonly number[]; readonly seriesMax: number }) {}

  /** Adds a duration. `labels`: in their written form, without braces. */
  observe(labels: string, seconds: number): void {
    this.series(labels).observe(seconds)
  }

  /** The durations with these labels, for callers that add many. */
  series(labels: string): HistogramSeries {
    const { buckets, seriesMax } = this.options
    let series = this.known.get(labels)
    if (series === undefined) {
      series = new HistogramSeries(buckets)
      const [oldest] = this.known.keys()
      if (this.known.size >= seriesMax && oldest !== undefined) this.known.delete(oldest)
      this.known.set(labels, series)
    }
    return series
  }

  /** All lines, for `/metrics`. */
  samples(): readonly HistogramSample[] {
    return [...this.known].flatMap(([labels, series]) => series.samples(labels))
  }
}
