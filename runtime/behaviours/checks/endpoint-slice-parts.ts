/**
 * Addresses of a slice are of its type, and each of its ports has another name (catalog validation.yaml:
 * EndpointSlice).
 */
import { parseIp, specialIpFaults } from "../../base/ip-address.ts"
import { formatFaults } from "../../schema/formats.ts"
import { defineCheck } from "../../schema/define.ts"
import type { EndpointSlice } from "../../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"

/** Called for each slice. */
export const endpointSliceParts = defineCheck<EndpointSlice>((slice, context) => {
  const names = new Set<string>()
  for (const [index, { name = "" }] of (slice.ports ?? []).entries()) {
    if (names.has(name)) context.fail("Duplicate", name, "", `ports[${index}].name`)
    names.add(name)
  }
  const faultsOf = addressFaults.get(slice.addressType)
  if (faultsOf === undefined) return
  for (const [index, endpoint] of (slice.endpoints ?? []).entries())
    for (const [position, address] of (endpoint.addresses ?? []).entries()) {
      const field = `endpoints[${index}].addresses[${position}]`
      if (address === "" && slice.addressType === "FQDN") context.fail("Required", undefined, "", field)
      else for (const fault of faultsOf(address)) context.fail("Invalid", address, fault, field)
    }
})

const addressFaults: ReadonlyMap<string, (address: string) => readonly string[]> = new Map([
  ["IPv4", (address: string) => ipFaults(address, 4)],
  ["IPv6", (address: string) => ipFaults(address, 6)],
  ["FQDN", (address: string) => formatFaults("fqdn", address)],
])

function ipFaults(address: string, family: 4 | 6): readonly string[] {
  const ip = parseIp(address)
  const faults = ip?.family === family ? [] : [`must be a valid IPv${family} address`]
  return [...faults, ...(ip === undefined ? ["must be a valid IP address"] : specialIpFaults(ip))]
}
