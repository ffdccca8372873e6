/** Allocates the addresses and node ports that a service requests or needs, and releases the ones it no longer uses. */
import { Turns } from "../../base/turns.ts"
import { fieldKeyWork } from "../../base/work.ts"
import { internal } from "../../base/errors.ts"
import type { Failure, Failures } from "../../base/failure.ts"
import { parseIp } from "../../base/ip-address.ts"
import type { ServicePort, ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import type { Random } from "../../base/random.ts"
import { type Holdings, isHeadless, mayHaveNodePorts, needsHealthCheckPort } from "./fields.ts"
import type { RangeAllocators } from "./ledgers.ts"
import { alreadyAllocated, healthPortFailure, outsideAddresses, outsidePorts } from "./impossible.ts"
import { familyOf, type NumberRange, type ServiceRanges } from "./ranges.ts"

export interface Allocation {
  readonly ranges: ServiceRanges
  readonly ledgers: RangeAllocators
  readonly random: Random
  readonly failures: Failures
  /** Nothing is stored: as in the reference, a requested number need not be free, nor a node port in range. */
  readonly dryRun: boolean
  /** Addresses and ports of the stored service. */
  readonly before: Holdings
}

/**
 * Sets the missing addresses of a valid spec, in place. Adds a failure for the first requested one that is not
 * available. Throws 500 when a range is full.
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
    // The reference reports the whole list, and stops.
    if (why !== undefined) {
      const detail = `failed to allocate IP ${wanted}: ${why}`
      return failures.add({ type: "Invalid", field: "spec.clusterIPs", value: [...given], detail })
    }
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
      return outsideAddresses(wanted, range)
    case undefined:
      return undefined
  }
}

/**
 * Sets the missing node ports of a valid spec, in place; requested ones are allocated first. Stops at the first that is
 * not available.
 */
export async function allocateNodePorts(spec: ServiceSpec, allocation: Allocation): Promise<void> {
  const ports = mayHaveNodePorts(spec) ? (spec.ports ?? []) : []
  const owned = new Set(allocation.before.nodePorts)
  const givenFor = new Map<number, number>()
  const turns = new Turns()
  for (const [index, port] of ports.entries()) {
    const nodePort = port.nodePort ?? 0
    if (nodePort === 0) continue
    const field = `spec.ports[${index}].nodePort`
    await takePort(nodePort, (detail) => ({ type: "Invalid", field, value: nodePort, detail }), { allocation, owned })
    if (!allocation.failures.empty) return
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
    allocation.failures.add(healthPortFailure(asked, alreadyAllocated))
  else await takePort(asked, (why) => healthPortFailure(asked, why), from)
}

async function takePort(
  port: number,
  failureOf: (why: string) => Failure,
  { allocation, owned }: { allocation: Allocation; owned: Set<string> },
): Promise<void> {
  const value = String(port)
  if (owned.has(value)) return
  owned.add(value)
  const { ledgers, ranges, failures, dryRun } = allocation
  const refused = (await ledgers.of(ranges.nodePorts)).take(value)
  if (refused === undefined || (dryRun && refused === "outside")) return
  failures.add(failureOf(refused === "outside" ? outsidePorts(ranges.nodePorts) : alreadyAllocated))
}

async function next(range: NumberRange, { ledgers, random }: Allocation, what: string): Promise<string> {
  const value = (await ledgers.of(range)).next(random)
  if (value === undefined) throw internal(`failed to allocate ${what}: the range ${range.text} is full`)
  return value
}

/** Releases the addresses and node ports that `after` no longer holds. */
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
