/** The overhead of a runtime class names resources like containers do (catalog validation.yaml: RuntimeClass). */
import { defineCheck } from "../../schema/define.ts"
import type { Overhead } from "../../../generated/node.orch.io/v1/runtime-class/types.ts"
import { checkAmounts } from "./resource-requirements.ts"

/** Called for the overhead of each runtime class. */
export const runtimeOverhead = defineCheck<Overhead>((overhead, context) => {
  checkAmounts(overhead.podFixed ?? {}, "limits", context)
})
