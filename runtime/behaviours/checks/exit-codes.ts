/** Exit codes in the failure policy of a job (catalog validation.yaml: Job). */
import { defineCheck } from "../../schema/define.ts"
import type { PodFailurePolicyOnExitCodesRequirement } from "../../../generated/batch/v1/shared/job-spec/types.ts"

const codesMax = 255

/** Called for each requirement about exit codes. */
export const exitCodes = defineCheck<PodFailurePolicyOnExitCodesRequirement>((requirement, context) => {
  const { operator } = requirement
  const codes = requirement.values ?? []
  if (codes.length === 0) return context.fail("Invalid", codes, "at least one value is required", "values")
  if (codes.length > codesMax) return context.fail("TooMany", codes.length, `must have at most ${codesMax} items`, "values")
  for (const [index, code] of codes.entries()) {
    if (operator === "In" && code === 0) context.fail("Invalid", code, "must not be 0 for the In operator", `values[${index}]`)
  }
  if (codes.some((code, index) => code < (codes[index - 1] ?? code))) context.fail("Invalid", codes, "must be ordered", "values")
})
