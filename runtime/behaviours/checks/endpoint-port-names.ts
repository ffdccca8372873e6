/** Names of the ports in one group of endpoints (catalog validation.yaml: Endpoints). */
import { defineCheck } from "../../schema/define.ts"
import type { EndpointSubset } from "../../../generated/core/v1/endpoints/types.ts"

/** Called for each subset: each of several ports needs a name. */
export const endpointPortNames = defineCheck<EndpointSubset>((subset, context) => {
  const { ports = [] } = subset
  if (ports.length < 2) return
  for (const [index, port] of ports.entries()) {
    if ((port.name ?? "") === "") context.fail("Required", undefined, "", `ports[${index}].name`)
  }
})
