/** Times of objects in milliseconds, for comparison with the clock. */
import { parseInstant } from "../base/time.ts"

/** Undefined for an absent time. A present one was validated. */
export function instantMs(time: string | null | undefined): number | undefined {
  return typeof time === "string" ? parseInstant(time).seconds * 1000 : undefined
}
