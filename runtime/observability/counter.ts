/** Counts of one sort of event by their labels. */

/** Events with the same labels. Requests keep it, so that counting looks nothing up. */
export interface Counted {
  count: number
}

/** Created once per metric. */
export class Counter {
  private readonly known = new Map<string, Counted>()

  /** `seriesMax`: labels that are kept; the oldest go. */
  constructor(private readonly seriesMax: number) {}

  /** The events with these labels, in their written form, without braces. */
  of(labels: string): Counted {
    let counted = this.known.get(labels)
    if (counted === undefined) {
      counted = { count: 0 }
      const [oldest] = this.known.keys()
      if (this.known.size >= this.seriesMax && oldest !== undefined) this.known.delete(oldest)
      this.known.set(labels, counted)
    }
    return counted
  }

  /** For `/metrics`. */
  samples(): readonly (readonly [labels: string, count: number])[] {
    return [...this.known].map(([labels, { count }]) => [labels, count] as const)
  }
}
