/** The numbers of a priority level, which are cells without a value where it has none (catalog tables.yaml). */
import { defineCell } from "../../schema/define.ts"
import type { PriorityLevelConfiguration } from "../../../generated/flowcontrol.apiserver.orch.io/v1/priority-level-configuration/types.ts"

const none = "<none>"

/** Called for each row. The fields are the same in every version. */
export const priorityLevelLimits = defineCell<PriorityLevelConfiguration>(({ spec }) => {
  const queuing = spec.limited?.limitResponse.queuing
  return {
    shares: spec.limited?.nominalConcurrencyShares ?? none,
    queues: queuing?.queues ?? none,
    handSize: queuing?.handSize ?? none,
    queueLength: queuing?.queueLengthLimit ?? none,
  }
})
