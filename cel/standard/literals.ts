import type { LiteralRules } from "../check/literals.ts"
import { parseDuration } from "../../runtime/base/duration.ts"
import { parseTimestamp } from "../values/timestamp-text.ts"
import { Timestamp } from "../values/time.ts"
import { isPattern } from "./text.ts"

/** The rules of constants by the functions that read them at run time. */
export const literalRules: LiteralRules = {
  isTimestamp: (text) => parseTimestamp(text) instanceof Timestamp,
  isDuration: (text) => {
    try {
      parseDuration(text)
      return true
    } catch {
      return false
    }
  },
  isPattern,
}
