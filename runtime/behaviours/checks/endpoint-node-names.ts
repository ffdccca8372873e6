/**
 * An address of endpoints keeps its node: a different node name is most likely a mistake (catalog validation.yaml:
 * Endpoints).
 */
import { defineCheck } from "../../schema/define.ts"
import type { EndpointAddress, Endpoints } from "../../../generated/core/v1/endpoints/types.ts"

/** Called for the endpoints of a service; only an update can violate it. */
export const endpointNodeNames = defineCheck<Endpoints>((endpoints, context) => {
  if (context.old === undefined) return
  const known = new Map(placedAddresses(context.old).map(({ address }) => [address.ip, address.nodeName]))
  for (const { address, path } of placedAddresses(endpoints)) {
    const [before = "", now = ""] = [known.get(address.ip), address.nodeName]
    if (before !== "" && now !== "" && before !== now) {
      context.fail("Forbidden", undefined, `cannot change from ${before} to ${now} for address ${address.ip}`, `${path}.nodeName`)
    }
  }
})

function placedAddresses({ subsets = [] }: Endpoints): { address: EndpointAddress; path: string }[] {
  return subsets.flatMap((subset, index) =>
    (["addresses", "notReadyAddresses"] as const).flatMap((list) =>
      (subset[list] ?? []).map((address, at) => ({ address, path: `subsets[${index}].${list}[${at}]` })),
    ),
  )
}
