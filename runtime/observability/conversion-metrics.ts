/**
 * Calls of conversion hooks, for `/metrics`. Names, labels and buckets are as in apiextensions-apiserver 1.30
 * (pkg/apiserver/conversion/metrics.go).
 */
import type { Clock } from "../base/clock.ts"
import type { ConversionStarted } from "../schema/conversion-call.ts"
import { Histogram } from "./histogram.ts"

/** Labels that are kept: definitions come and go. */
const seriesMax = 1000

/** Created once per server. */
export class ConversionMetrics {
  /** Calls by definition and versions. */
  readonly durations = new Histogram({ buckets: Array.from({ length: 15 }, (_, index) => 0.001 * 2 ** index), seriesMax })
  /** Calls by their result. */
  readonly results = new Histogram({ buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60], seriesMax })

  constructor(private readonly clock: Pick<Clock, "elapsedMs">) {}

  /** Called once per definition and change of it. */
  of(definition: string): ConversionStarted {
    return ({ from, to }) => {
      const began = this.clock.elapsedMs()
      return (failure) => {
        const seconds = (this.clock.elapsedMs() - began) / 1000
        const succeeded = failure === undefined
        this.durations.observe(`crd_name="${definition}",from_version="${from}",to_version="${to}",succeeded="${succeeded}"`, seconds)
        const type = succeeded ? "" : `conversion_webhook_${failure}_failure`
        this.results.observe(`result="${succeeded ? "success" : "failure"}",failure_type="${type}"`, seconds)
      }
    }
  }
}
