/** A sort of input that decides who comes in: how to draw, try and judge a case. */
import type { SeededRandom } from "../../sim/world/random.ts"

export interface PreparedSort {
  /** Draws a case, tries it, and returns the fault of the outcome; undefined: none. */
  take(random: SeededRandom): Promise<string | undefined>
  stop?(): Promise<void>
}

/** Called once per run. */
export type Sort = () => Promise<PreparedSort>
