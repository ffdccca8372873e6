/** The first few ready endpoints of a service, for the Table column (catalog tables.yaml: Endpoints). */
import { defineCell } from "../../schema/define.ts"
import type { EndpointAddress, EndpointPort, Endpoints } from "../../../generated/core/v1/endpoints/types.ts"

const shownMax = 3

/** Called for each row: `10.0.0.1:80,10.0.0.2:80 + 4 more...`. */
export const readyEndpoints = defineCell<Endpoints>(({ subsets = [] }) => {
  if (subsets.length === 0) return { text: "<none>" }
  const shown: string[] = []
  let count = 0
  for (const { addresses = [], ports = [] } of subsets) {
    count += addresses.length * Math.max(1, ports.length)
    shown.push(...readyIn(addresses, ports, shownMax - shown.length))
  }
  const more = count > shownMax ? ` + ${count - shownMax} more...` : ""
  return { text: shown.join(",") + more }
})

/** The first `max` of all addresses under all ports; without ports the addresses alone. */
function readyIn(addresses: readonly EndpointAddress[], ports: readonly EndpointPort[], max: number): string[] {
  const ips = addresses.slice(0, max).map((address) => address.ip)
  if (ports.length === 0) return ips
  const places = ports.slice(0, max).flatMap((port) => ips.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${port.port}`))
  return places.slice(0, max)
}
