/**
 * Node ports within one service (catalog validation.yaml: Service). The allocator checks them against other services.
 */
import type { JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { listOf, numberOf, textOf } from "../pods/fields.ts"

/** Called for each service spec: a node port serves one port of each protocol. */
export function serviceNodePorts(spec: JsonValue, context: CheckContext): void {
  const seen = new Set<string>()
  for (const [index, port] of listOf(spec, "ports").entries()) {
    const nodePort = numberOf(port, "nodePort") ?? 0
    if (nodePort === 0) continue
    const key = `${textOf(port, "protocol")}/${nodePort}`
    if (seen.has(key)) context.fail("Duplicate", nodePort, "", `ports[${index}].nodePort`)
    seen.add(key)
  }
}
