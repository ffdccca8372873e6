/** The priority levels that every server has (catalog flowcontrol.yaml: bootstrap). */
import { priorityLevelConfigurations } from "../../../generated/bootstrap/mandatory-flow-control.ts"
import type { PriorityLevelConfiguration } from "../../../generated/flowcontrol.apiserver.orch.io/v1/priority-level-configuration/types.ts"
import { defineCheck } from "../../schema/define.ts"
import { equals } from "../../schema/expression.ts"

/** Called for each priority level. In the level exempt, the field `spec.exempt` may be changed. */
export const mandatoryPriorityLevel = defineCheck<Pick<PriorityLevelConfiguration, "metadata" | "spec">>(({ metadata, spec }, context) => {
  const name = metadata.name ?? ""
  const expected = priorityLevelConfigurations.find((one) => one.metadata.name === name)?.spec
  if (expected === undefined) return
  const { exempt, ...fixed } = spec
  const { exempt: _changeable, ...expectedFixed } = expected
  if (equals({ ...fixed }, { ...expectedFixed }) && (name === "exempt" || exempt === undefined)) return
  const part = name === "exempt" ? " except the 'spec.exempt' field" : ""
  context.fail("Invalid", { ...spec }, `spec of '${name}'${part} must equal the fixed value`, "spec")
})
