/**
 * Requests of a service that no cluster with these ranges can fulfil: numbers outside of them, and a new node port
 * twice. The reference allocates before it validates, so it reports the first of these alone; whether another service
 * has a number is asked later, in the commit.
 */
import type { Failure, Failures } from "../../base/failure.ts"
import { parseIp } from "../../base/ip-address.ts"
import type { ServicePort, ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import { askedNodePorts, isHeadless, mayHaveNodePorts, needsHealthCheckPort } from "./fields.ts"
import { familyOf, type NumberRange, type ServiceRanges } from "./ranges.ts"

/** The reason to refuse a port that another service has. Clients compare the text. */
export const alreadyAllocated = "provided port is already allocated"

/** The reason to refuse a port outside of the range. */
export function outsidePorts(range: NumberRange): string {
  return `provided port is not in the valid range. The range of valid ports is ${range.text}`
}

/** The reason to refuse an address outside of the range. */
export function outsideAddresses(wanted: string, range: NumberRange): string {
  return `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${range.text}`
}

/** The reference answers 500 here, with the text that the detail begins with. */
export function healthPortFailure(port: number, why: string): Failure {
  const detail = `failed to allocate requested HealthCheck NodePort ${port}: ${why}`
  return { type: "Invalid", field: "spec.healthCheckNodePort", value: port, detail }
}

/** Called for a spec with its families. Adds the first number that is refused; numbers held before are not refused. */
export function refuseImpossible(
  spec: ServiceSpec,
  around: { ranges: ServiceRanges; old?: ServiceSpec; dryRun: boolean; failures: Failures },
): void {
  const { ranges, old, dryRun, failures } = around
  const first = outsideAddress(spec, ranges, old) ?? refusedPort(spec, { range: ranges.nodePorts, dryRun }, old)
  if (first !== undefined) failures.add(first)
}

/** An update takes a first address only where there was none, and a second one where there was one. */
function outsideAddress(spec: ServiceSpec, { addresses }: ServiceRanges, old: ServiceSpec | undefined): Failure | undefined {
  if (spec.type === "ExternalName" || isHeadless(spec)) return undefined
  const { clusterIPs = [], ipFamilies = [] } = spec
  const isNew = old === undefined || old.type === "ExternalName"
  if (!isNew && (isHeadless(old) || ipFamilies.length <= (old.ipFamilies ?? []).length)) return undefined
  for (const [index, wanted] of clusterIPs.entries()) {
    const address = index < (isNew ? 0 : 1) ? undefined : parseIp(wanted)
    const range = address === undefined ? undefined : addresses.get(familyOf(address))
    if (range === undefined || range.indexOf(wanted) !== undefined) continue
    const detail = `failed to allocate IP ${wanted}: ${outsideAddresses(wanted, range)}`
    return { type: "Invalid", field: "spec.clusterIPs", value: [...clusterIPs], detail }
  }
  return undefined
}

/** Returns why a service cannot have a port, as far as the service itself shows; undefined when it can. */
type Refusal = (port: number) => string | undefined

function refusedPort(
  spec: ServiceSpec,
  around: { range: NumberRange; dryRun: boolean },
  old: ServiceSpec | undefined,
): Failure | undefined {
  const { range, dryRun } = around
  const held = new Set((old?.ports ?? []).map(({ nodePort = 0 }) => nodePort))
  const taken = new Set<number>()
  const why: Refusal = (port) => {
    if (!dryRun && range.indexOf(String(port)) === undefined) return outsidePorts(range)
    if (old === undefined && taken.has(port)) return alreadyAllocated
    taken.add(port)
    return undefined
  }
  const ports = mayHaveNodePorts(spec) ? (spec.ports ?? []) : []
  for (const [index, nodePort] of (old === undefined ? askedPorts(ports) : ports.map((port) => port.nodePort ?? 0)).entries()) {
    const detail = nodePort === 0 || held.has(nodePort) ? undefined : why(nodePort)
    if (detail !== undefined) return { type: "Invalid", field: `spec.ports[${index}].nodePort`, value: nodePort, detail }
  }
  const { healthCheckNodePort: health = 0 } = spec
  if (health === 0 || !needsHealthCheckPort(spec) || (old !== undefined && needsHealthCheckPort(old))) return undefined
  const detail = why(health)
  return detail === undefined ? undefined : healthPortFailure(health, detail)
}

/** Returns the node port to allocate for each port of a new service, or 0. Ports of one number ask for theirs once. */
function askedPorts(ports: readonly ServicePort[]): readonly number[] {
  const firstOf = askedNodePorts(ports)
  const given = new Set<number>()
  return ports.map(({ port, nodePort = 0 }) => {
    const first = firstOf.get(port) ?? 0
    if (given.has(port)) return nodePort === first ? 0 : nodePort
    given.add(port)
    return first
  })
}
