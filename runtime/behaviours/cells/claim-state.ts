/** Whether a claim's resource is allocated and in use (catalog tables.yaml: ResourceClaim). */
import { defineCell } from "../../schema/define.ts"
import type { ResourceClaim } from "../../../generated/resource.orch.io/v1alpha2/resource-claim/types.ts"

/** Called for each row. */
export const claimState = defineCell<ResourceClaim>(({ metadata, status }) => {
  const { allocation, reservedFor = [], deallocationRequested = false } = status
  const isDeleted = metadata.deletionTimestamp !== undefined
  const states = isDeleted ? ["deleted"] : []
  if (allocation === undefined) return { text: [...states, ...(isDeleted ? [] : ["pending"])].join(",") }
  states.push("allocated")
  if (reservedFor.length > 0) states.push("reserved")
  else if (isDeleted || deallocationRequested) states.push("deallocating")
  return { text: states.join(",") }
})
