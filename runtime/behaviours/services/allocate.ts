/**
 * Allocates the addresses and node ports that a service requests or needs, and releases those that it no longer uses.
 */
import { Turns } from "../../base/turns.ts"
import { fieldKeyWork } from "../../base/work.ts"
import { internal } from "../../base/errors.ts"
import type { Failures } from "../../base/failure.ts"
import { parseIp } from "../../base/ip-address.ts"
import type { ServicePort, ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import type { Random } from "../../base/random.ts"
import { type Holdings, isHeadless, mayHaveNodePorts, needsHealthCheckPort } from "./fields.ts"
import type { RangeAllocators } from "./ledgers.ts"
import { familyOf, type NumberRange, type ServiceRanges } from "./ranges.ts"

export interface Allocation {
  readonly ranges: ServiceRanges
  readonly ledgers: RangeAllocators
  readonly random: Random
  readonly failures: Failures
  /** Nothing is stored: as in the reference, what a service asks for need not be free, and node ports not in range. */
  readonly dryRun: boolean
  /** What the stored service holds. */
  readonly before: Holdings
}

/**
 * Sets the missing addresses of a valid spec, in place. Pushes a failure for each requested one that is not available.
 * Throws 500 when a range is full.
 */
export async function allocateAddresses(spec: ServiceSpec, allocation: Allocation): Promise<void> {
  if (spec.type === "ExternalName" || isHeadless(spec)) return
  const { before, failures, ranges } = allocation
  const { clusterIPs: given = [], ipFamilies = [] } = spec
  const addresses: string[] = []
  // Bounded: a service has at most two families.
  for (const [index, family] of ipFamilies.entries()) {
    const wanted = given[index]
    if (wanted === undefined) {
      const range = family === "IPv4" || family === "IPv6" ? ranges.addresses.get(family) : undefined
      if (range !== undefined) addresses.push(await next(range, allocation, "a serviceIP"))
      continue
    }
    addresses.push(wanted)
    if (before.addresses.includes(wanted)) continue
    const why = await takeAddress(wanted, allocation)
    // The reference reports the whole list.
    if (why !== undefined)
      failures.add({ type: "Invalid", field: "spec.clusterIPs", value: [...given], detail: `failed to allocate IP ${wanted}: ${why}` })
  }
  if (addresses.length > 0) Object.assign(spec, { clusterIP: addresses[0], clusterIPs: addresses })
}

async function takeAddress(wanted: string, { ranges, ledgers, dryRun }: Allocation): Promise<string | undefined> {
  const address = parseIp(wanted)
  const range = address === undefined ? undefined : ranges.addresses.get(familyOf(address))
  if (range === undefined) return "provided IP is not in a range of this cluster"
  switch ((await ledgers.of(range)).take(wanted)) {
    case "taken":
      return dryRun ? undefined : "provided IP is already allocated"
    case "outside":
      return `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${range.text}`
    case undefined:
      return undefined
  }
}

/** Sets the missing node ports of a valid spec, in place; requested ones are allocated first. */
export async function allocateNodePorts(spec: ServiceSpec, allocation: Allocation): Promise<void> {
  const ports = mayHaveNodePorts(spec) ? (spec.ports ?? []) : []
  const owned = new Set(allocation.before.nodePorts)
  const givenFor = new Map<number, number>()
  const turns = new Turns()
  for (const [index, port] of ports.entries()) {
    const nodePort = port.nodePort ?? 0
    if (nodePort === 0) continue
    await takePort(nodePort, `spec.ports[${index}].nodePort`, { allocation, owned })
    givenFor.set(port.port, nodePort)
    if (turns.isOver(fieldKeyWork)) await turns.next()
  }
  if (spec.type === "NodePort" || spec.allocateLoadBalancerNodePorts !== false) {
    const held = new Set(ports.map(nodePortKey))
    for (const port of ports) {
      if ((port.nodePort ?? 0) !== 0) continue
      port.nodePort = await portFor(port, { held, givenFor, allocation })
      held.add(nodePortKey(port))
      if (turns.isOver(fieldKeyWork)) await turns.next()
    }
  }
  await allocateHealthCheckPort(spec, { allocation, owned })
}

/** Entries with the same port number share a node port if their protocols differ. */
async function portFor(
  port: ServicePort,
  from: { held: ReadonlySet<string>; givenFor: Map<number, number>; allocation: Allocation },
): Promise<number> {
  const number = port.port
  const shared = from.givenFor.get(number)
  if (shared !== undefined && !from.held.has(nodePortKey({ ...port, nodePort: shared }))) return shared
  const nodePort = Number(await next(from.allocation.ranges.nodePorts, from.allocation, "a nodePort"))
  from.givenFor.set(number, nodePort)
  return nodePort
}

function nodePortKey(port: ServicePort): string {
  return `${port.protocol ?? ""}/${port.nodePort ?? 0}`
}

async function allocateHealthCheckPort(spec: ServiceSpec, from: { allocation: Allocation; owned: Set<string> }): Promise<void> {
  if (!needsHealthCheckPort(spec)) return
  const { allocation } = from
  const asked = spec.healthCheckNodePort ?? 0
  if (asked === 0) spec.healthCheckNodePort = Number(await next(allocation.ranges.nodePorts, allocation, "a healthCheckNodePort"))
  else if (!allocation.dryRun && spec.ports?.some(({ nodePort }) => nodePort === asked))
    allocation.failures.add(portFailure("spec.healthCheckNodePort", asked, "provided port is already allocated"))
  else await takePort(asked, "spec.healthCheckNodePort", from)
}

async function takePort(port: number, field: string, { allocation, owned }: { allocation: Allocation; owned: Set<string> }): Promise<void> {
  const value = String(port)
  if (owned.has(value)) return
  owned.add(value)
  const { ledgers, ranges, failures, dryRun } = allocation
  const refused = (await ledgers.of(ranges.nodePorts)).take(value)
  if (refused === undefined || (dryRun && refused === "outside")) return
  const outside = `provided port is not in the valid range. The range of valid ports is ${ranges.nodePorts.text}`
  failures.add(portFailure(field, port, refused === "outside" ? outside : "provided port is already allocated"))
}

function portFailure(field: string, value: number, detail: string) {
  return { type: "Invalid" as const, field, value, detail }
}

async function next(range: NumberRange, { ledgers, random }: Allocation, what: string): Promise<string> {
  const value = (await ledgers.of(range)).next(random)
  if (value === undefined) throw internal(`failed to allocate ${what}: the range ${range.text} is full`)
  return value
}

/** Releases what `after` no longer holds. */
export async function releaseUnused(allocation: Pick<Allocation, "before" | "ledgers" | "ranges">, after: Holdings): Promise<void> {
  const { before, ledgers, ranges } = allocation
  const kept = { addresses: new Set(after.addresses), nodePorts: new Set(after.nodePorts) }
  // Bounded: a service has at most two addresses.
  for (const address of before.addresses) {
    if (kept.addresses.has(address)) continue
    // Bounded: the server has at most two ranges.
    for (const range of ranges.addresses.values()) if (range.indexOf(address) !== undefined) (await ledgers.of(range)).release(address)
  }
  const turns = new Turns()
  for (const port of before.nodePorts) {
    if (!kept.nodePorts.has(port)) (await ledgers.of(ranges.nodePorts)).release(port)
    if (turns.isOver(fieldKeyWork)) await turns.next()
  }
}
