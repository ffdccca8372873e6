/** The hosts of an ingress, for its Table column (catalog tables.yaml: Ingress). */
import { defineCell } from "../../schema/define.ts"
import type { Ingress } from "../../../generated/networking.orch.io/v1/ingress/types.ts"

const shownMax = 3

/** Called for each row: the first three hosts, or * when no rule names one. */
export const ingressHosts = defineCell<Ingress>(({ spec: { rules = [] } }) => {
  const shown: string[] = []
  let hasMore = false
  for (const { host = "" } of rules) {
    if (shown.length === shownMax) hasMore = true
    else if (host !== "") shown.push(host)
  }
  if (shown.length === 0) return { text: "*" }
  return { text: shown.join(",") + (hasMore ? ` + ${rules.length - shownMax} more...` : "") }
})
