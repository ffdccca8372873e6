/** Names of the ports in one group of endpoints (catalog validation.yaml: Endpoints). */
import type { JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { listOf, textOf } from "../pods/fields.ts"

/** Called for each subset: each of several ports needs a name. */
export function endpointPortNames(subset: JsonValue, context: CheckContext): void {
  const ports = listOf(subset, "ports")
  if (ports.length < 2) return
  for (const [index, port] of ports.entries()) {
    if (textOf(port, "name") === "") context.fail("Required", undefined, "", `ports[${index}].name`)
  }
}
