/** The used amounts of a quota, for its Table columns (catalog tables.yaml: ResourceQuota). */
import { defineCell } from "../../schema/define.ts"
import type { ResourceQuota } from "../../../generated/core/v1/resource-quota/types.ts"

/** Called for each row: `pods: 3/10, requests.cpu: 1/4`, in the order of the names. */
export const quotaUsage = defineCell<ResourceQuota>(({ status }) => {
  const requests: string[] = []
  const limits: string[] = []
  for (const [name, hard] of Object.entries(status.hard ?? {}).sort(([left], [right]) => (left < right ? -1 : 1))) {
    const list = name.split(".")[0] === "limits" ? limits : requests
    list.push(`${name}: ${status.used?.[name] ?? "0"}/${hard}`)
  }
  return { requests: requests.join(", "), limits: limits.join(", ") }
})
