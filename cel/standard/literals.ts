import type { LiteralRules } from "../check/literals.ts"
import { constantValue } from "../values/constant.ts"
import { isError } from "../values/error.ts"
import { toDuration, toTimestamp } from "./conversion.ts"
import { isPattern } from "./text.ts"

/** The rules of constants, from the functions that read them at run time. */
export const literalRules: LiteralRules = {
  isTimestamp: (constant) => !isError(toTimestamp(constantValue(constant))),
  isDuration: (constant) => !isError(toDuration(constantValue(constant))),
  isPattern: (constant) => constant.type !== "string" || isPattern(constant.value),
}
