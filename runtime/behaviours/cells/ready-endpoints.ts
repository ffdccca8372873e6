/** The first few ready endpoints of a service, for the Table column (catalog tables.yaml: Endpoints). */
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { listOf, numberOf, textOf } from "../pods/fields.ts"

const shownMax = 3

/** Called for each row: `10.0.0.1:80,10.0.0.2:80 + 4 more...`. */
export function readyEndpoints(endpoints: ApiObject): { readonly text: string } {
  const subsets = listOf(endpoints, "subsets")
  if (subsets.length === 0) return { text: "<none>" }
  const shown: string[] = []
  let count = 0
  for (const subset of subsets) {
    const [addresses, ports] = [listOf(subset, "addresses"), listOf(subset, "ports")]
    count += addresses.length * Math.max(1, ports.length)
    shown.push(...readyIn(addresses, ports, shownMax - shown.length))
  }
  const more = count > shownMax ? ` + ${count - shownMax} more...` : ""
  return { text: shown.join(",") + more }
}

/** The first `max` of all addresses under all ports; without ports the addresses alone. */
function readyIn(addresses: readonly JsonObject[], ports: readonly JsonObject[], max: number): string[] {
  const ips = addresses.slice(0, max).map((address) => textOf(address, "ip"))
  if (ports.length === 0) return ips
  const places = ports
    .slice(0, max)
    .flatMap((port) => ips.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${numberOf(port, "port") ?? 0}`))
  return places.slice(0, max)
}
