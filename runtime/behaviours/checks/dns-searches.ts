/** The domains in which a pod looks up short names (catalog validation.yaml: PodSpec, `dnsConfig.searches`). */
import { defineCheck } from "../../schema/define.ts"
import { formatFaults } from "../../schema/formats.ts"
import type { PodDNSConfig } from "../../../generated/core/v1/shared/pod-spec/types.ts"

/** Called for the name resolution of each pod. A search path may end with the dot of the root, which is not checked. */
export const dnsSearches = defineCheck<PodDNSConfig>(({ searches = [] }, context) => {
  for (const [index, search] of searches.entries()) {
    const domain = search.endsWith(".") ? search.slice(0, -1) : search
    for (const fault of formatFaults("dns-subdomain", domain)) context.fail("Invalid", domain, fault, `searches[${index}]`)
  }
})
