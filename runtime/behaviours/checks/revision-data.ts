/** A revision holds a state. The empty object is a state, but a rule of the schema would read it as absent. */
import { defineCheck } from "../../schema/define.ts"
import type { ControllerRevision } from "../../../generated/apps/v1/controller-revision/types.ts"

/** Called for each revision; Required without data. */
export const revisionData = defineCheck<ControllerRevision>(({ data }, context) => {
  if (data === undefined || data === null) context.fail("Required", undefined, "data is mandatory", "data")
})
