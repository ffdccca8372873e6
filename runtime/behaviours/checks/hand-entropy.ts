/** How flows are dealt to queues (catalog flowcontrol.yaml: queueing). */
import { defineCheck } from "../../schema/define.ts"

/** Bits of a flow's hash that choose its queues. */
const hashBits = 60

/** Called for the queues of each priority level. The schema limits each of the numbers. */
export const handEntropy = defineCheck<{ queues?: number; handSize?: number }>(({ queues = 0, handSize = 0 }, context) => {
  if (queues < 1 || handSize < 1 || handSize > queues) return
  if (Math.ceil(Math.log2(queues) * handSize) <= hashBits) return
  const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${hashBits}`
  context.fail("Invalid", handSize, detail, "handSize")
})
