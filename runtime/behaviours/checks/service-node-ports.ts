/**
 * Node ports within one service (catalog validation.yaml: Service). The allocator checks them against other services.
 */
import { defineCheck } from "../../schema/define.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"

/** Called for each service spec: a node port serves one port of each protocol. */
export const serviceNodePorts = defineCheck<ServiceSpec>((spec, context) => {
  const seen = new Set<string>()
  for (const [index, { nodePort = 0, protocol = "" }] of (spec.ports ?? []).entries()) {
    if (nodePort === 0) continue
    const key = `${protocol}/${nodePort}`
    if (seen.has(key)) {
      // The reference allocates before it validates, where the type of the service has node ports.
      if (spec.type === "ClusterIP") context.fail("Duplicate", nodePort, "", `ports[${index}].nodePort`)
      else context.fail("Invalid", nodePort, "provided port is already allocated", `ports[${index}].nodePort`)
    }
    seen.add(key)
  }
})
