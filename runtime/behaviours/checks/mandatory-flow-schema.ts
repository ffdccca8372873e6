/** The flow schemas that every server has (catalog flowcontrol.yaml: bootstrap). */
import { flowSchemas } from "../../../generated/bootstrap/mandatory-flow-control.ts"
import type { FlowSchema } from "../../../generated/flowcontrol.apiserver.orch.io/v1/flow-schema/types.ts"
import { defineCheck } from "../../schema/define.ts"
import { equals } from "../../schema/expression.ts"

/** Called for each flow schema: a flow schema with a mandatory name must have the fixed spec of that name. */
export const mandatoryFlowSchema = defineCheck<Pick<FlowSchema, "metadata" | "spec">>(({ metadata, spec }, context) => {
  const expected = flowSchemas.find((one) => one.metadata.name === metadata.name)?.spec
  if (expected === undefined || equals({ ...spec }, { ...expected })) return
  context.fail("Invalid", { ...spec }, `spec of '${metadata.name}' must equal the fixed value`, "spec")
})
