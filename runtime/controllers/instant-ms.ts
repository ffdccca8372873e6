/** Times of objects in milliseconds, for comparison with the clock. */
import { parseInstant } from "../base/time.ts"

/** Undefined when there is no time. Validation has read it: it is a time. */
export function instantMs(time: string | null | undefined): number | undefined {
  return typeof time === "string" ? parseInstant(time).seconds * 1000 : undefined
}
