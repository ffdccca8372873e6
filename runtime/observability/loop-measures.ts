/** A server's measurements of its process' event loop. Both end with the server, and keep it alive until then. */
import { type LoopHold, watchLoop } from "../base/event-loop-monitor.ts"
import { LoopDelayMeter, type LoopMeter } from "./loop-delay.ts"

export interface LoopMeasures {
  /** Called once per server. */
  meter(): LoopMeter
  /** Called once per server. Reports each hold of the event loop until the returned function is called. */
  watch(onHold: (hold: LoopHold) => void): () => void
}

/** The event loop of this process. */
export const processLoop: LoopMeasures = { meter: () => new LoopDelayMeter(), watch: watchLoop }
