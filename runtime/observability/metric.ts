/** A metric as `/metrics` shows it. Measuring modules make metrics, and `metrics.ts` writes their text. */
import type { HistogramSample } from "./histogram.ts"

/** One metric with its values now. */
export interface Metric {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  /** Labels in their written form, without braces; "" for none. Lines of histograms have a suffix to the name. */
  readonly samples: Iterable<readonly [labels: string, value: number] | HistogramSample>
}

/** A gauge without labels. */
export function gauge(name: string, help: string, value: number): Metric {
  return { name, type: "gauge", help, samples: [["", value]] }
}
