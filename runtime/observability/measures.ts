import type { Clock } from "../base/clock.ts"
import type { ServerParts } from "../server-parts.ts"
import { ConversionMetrics } from "./conversion-metrics.ts"
import { WorkQueueMetrics } from "./work-queue-metrics.ts"

/** Called once per server: what its parts measure, before there is anything. */
export function newMeasures(clock: Clock): Pick<ServerParts, "conversions" | "workQueues" | "storage"> {
  return {
    conversions: new ConversionMetrics(clock),
    workQueues: new WorkQueueMetrics(clock),
    storage: { objects: new Map(), bytes: new Map() },
  }
}
