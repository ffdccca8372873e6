/** What a server measures of the event loop of its process. Both end with its stop, and keep it alive until then. */
import { type LoopHold, watchLoop } from "../base/event-loop-monitor.ts"
import { LoopDelayMeter, type LoopMeter } from "./loop-delay.ts"

export interface LoopMeasures {
  /** Called once per server. */
  meter(): LoopMeter
  /** Called once per server, which hears of each hold until it calls the returned function. */
  watch(onHold: (hold: LoopHold) => void): () => void
}

/** The event loop of this process. */
export const processLoop: LoopMeasures = { meter: () => new LoopDelayMeter(), watch: watchLoop }
