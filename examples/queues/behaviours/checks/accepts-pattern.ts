import { defineCheck } from "orch-apiserver"
import type { QueueSpec } from "../../generated/queue.example.com/v1/queue/types.ts"

/** Checks that the text is a regular expression, which a schema cannot say. */
export const acceptsPattern = defineCheck<QueueSpec>(({ accepts = "" }, context) => {
  try {
    new RegExp(accepts, "u")
  } catch (error) {
    context.fail("Invalid", accepts, error instanceof Error ? error.message : "is no regular expression", "accepts")
  }
})
