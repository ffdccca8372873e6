/** Meters of a running server, for `/metrics`. */
import type { Clock } from "../base/clock.ts"
import type { Vendor } from "../base/vendor.ts"
import type { KindTable } from "../registry/kinds.ts"
import { ConversionMetrics } from "./conversion-metrics.ts"
import { HealthResults } from "./health-results.ts"
import { InFlightRequests } from "./in-flight.ts"
import type { StorageMeasures } from "./metrics.ts"
import { RequestCounts } from "./request-counts.ts"
import { StoreLatencies } from "./store-metrics.ts"
import { WorkQueueMetrics } from "./work-queue-metrics.ts"

export interface Meters {
  readonly inFlight: InFlightRequests
  readonly requestCounts: RequestCounts
  readonly conversions: ConversionMetrics
  readonly workQueues: WorkQueueMetrics
  readonly healthResults: HealthResults
  readonly storage: StorageMeasures
  readonly storeLatencies: StoreLatencies
}

/** Called once per server. */
export function createMeters(kinds: KindTable, vendor: Vendor, clock: Clock): Meters {
  return {
    inFlight: new InFlightRequests(),
    requestCounts: new RequestCounts(kinds, vendor),
    conversions: new ConversionMetrics(clock),
    workQueues: new WorkQueueMetrics(clock),
    healthResults: new HealthResults(),
    storeLatencies: new StoreLatencies(vendor),
    storage: { objects: new Map(), bytes: new Map() },
  }
}
