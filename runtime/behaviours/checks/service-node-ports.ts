/**
 * Node ports within one service (catalog validation.yaml: Service). The allocator checks them against other services.
 */
import { defineCheck } from "../../schema/define.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import { askedNodePorts, getsNodePorts } from "../services/fields.ts"

/** Called for each service spec: a node port serves one port of each protocol. */
export const serviceNodePorts = defineCheck<ServiceSpec>((spec, context) => {
  const { ports = [] } = spec
  const asked = context.operation === "create" && getsNodePorts(spec) ? askedNodePorts(ports) : undefined
  const seen = new Set<string>()
  for (const [index, { nodePort: given = 0, port, protocol = "" }] of ports.entries()) {
    const nodePort = given === 0 ? (asked?.get(port) ?? 0) : given
    if (nodePort === 0) continue
    const key = `${protocol}/${nodePort}`
    if (seen.has(key)) {
      // An update of a service with node ports is refused there before it is validated, and in other words.
      if (context.operation === "create" || spec.type === "ClusterIP") context.fail("Duplicate", nodePort, "", `ports[${index}].nodePort`)
      else context.fail("Invalid", nodePort, "provided port is already allocated", `ports[${index}].nodePort`)
    }
    seen.add(key)
  }
})
