/** The first few ready endpoints of a service, for the Table column (catalog tables.yaml: Endpoints). */
import type { ApiObject, JsonObject } from "../../kit/json.ts"
import { listOf, numberOf, textOf } from "../pods/fields.ts"

const shownMax = 3

/** Called for each row: `10.0.0.1:80,10.0.0.2:80 + 4 more...`. */
export function cell(endpoints: ApiObject): { readonly text: string } {
  const subsets = listOf(endpoints, "subsets")
  if (subsets.length === 0) return { text: "<none>" }
  const all = subsets.flatMap(readyIn)
  const more = all.length > shownMax ? ` + ${all.length - shownMax} more...` : ""
  return { text: all.slice(0, shownMax).join(",") + more }
}

/** Every address under every port; without ports the addresses alone. */
function readyIn(subset: JsonObject): string[] {
  const addresses = listOf(subset, "addresses").map((address) => textOf(address, "ip"))
  const ports = listOf(subset, "ports").map((port) => numberOf(port, "port") ?? 0)
  if (ports.length === 0) return addresses
  return ports.flatMap((port) => addresses.map((address) => `${address.includes(":") ? `[${address}]` : address}:${port}`))
}
