/** A sort of input that decides who comes in: how one is drawn, tried and judged. */
import type { SeededRandom } from "../../sim/world/random.ts"

export interface PreparedSort {
  /** Draws a case, tries it, and returns what is wrong with the outcome; undefined: nothing. */
  take(random: SeededRandom): Promise<string | undefined>
  stop?(): Promise<void>
}

/** Called once per run. */
export type Sort = () => Promise<PreparedSort>
