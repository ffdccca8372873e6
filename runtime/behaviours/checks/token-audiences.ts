/** Tokens that a driver is given (catalog validation.yaml: CSIDriver). */
import { defineCheck } from "../../schema/define.ts"
import type { CSIDriverSpec } from "../../../generated/storage.orch.io/v1/csi-driver/types.ts"

/** Called for the spec of each driver. No two tokens are for the same audience; the empty audience counts, too. */
export const tokenAudiences = defineCheck<CSIDriverSpec>(({ tokenRequests = [] }, context) => {
  const seen = new Set<string>()
  for (const [index, { audience }] of tokenRequests.entries()) {
    if (seen.has(audience)) context.fail("Duplicate", audience, "", `tokenRequests[${index}].audience`)
    seen.add(audience)
  }
})
