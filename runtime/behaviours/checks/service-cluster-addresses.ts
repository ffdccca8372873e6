/**
 * Changes that an update may make to the cluster addresses and families of a service (catalog validation.yaml:
 * Service). Their own faults are reported before (services/address-faults.ts); the allocator checks whether an address
 * is free.
 */
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import { isHeadless } from "../services/fields.ts"

const notOnceSet = "may not change once set"

/** Called for each service spec, with `clusterIP` and `clusterIPs` in sync. Services that are aliases have neither. */
export const serviceClusterAddresses = defineCheck<ServiceSpec>((spec, context) => {
  const { old } = context
  if (old !== undefined && spec.type !== "ExternalName" && old.type !== "ExternalName") checkUpdate(spec, old, context)
})

/** The first address and family must stay. A second one may be added, or released as services/families.ts says. */
function checkUpdate(spec: ServiceSpec, old: ServiceSpec, context: CheckContext<ServiceSpec>): void {
  if (isHeadless(spec) && isHeadless(old)) return
  for (const name of ["clusterIPs", "ipFamilies"] as const) {
    // A stored service has at most two of each. Each failure has the whole list, so more of them would cost its square.
    const [next, before]: [string[], string[]] = [spec[name] ?? [], (old[name] ?? []).slice(0, 2)]
    for (const [index, value] of before.entries()) {
      if (next[index] !== undefined && next[index] !== value) context.fail("Invalid", [...next], notOnceSet, `${name}[${index}]`)
    }
  }
}
