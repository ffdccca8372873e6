/**
 * The canonical form of endpoint subsets (catalog resources.yaml: endpoints): addresses grouped by identical port sets,
 * duplicates merged, everything sorted, so that two writers with the same content store the same bytes. The reference
 * sorts ports and subsets by a hash; here the order is readable.
 *
 * Ports in the same subsets have the same addresses, which are collected once for all of them, so a subset costs its
 * addresses plus its ports, not their product. Only ports in different subsets take a copy each.
 */
import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../../generated/core/v1/endpoints/types.ts"
import { stringify } from "../../encoding/json/text.ts"

/**
 * An address and its position in the order of all. Addresses with the same IP and target are the same, whatever their
 * other fields.
 */
interface OrderedAddress {
  readonly address: EndpointAddress
  order: number
}

/** Addresses of one subset or one set of ports, and whether they are ready. */
type AddressReadiness = Map<OrderedAddress, boolean>

/** Ports that are in the same subsets. */
interface PortGroup {
  readonly subsets: readonly number[]
  readonly ports: EndpointPort[]
}

/** Ports that have the same addresses. */
interface PackedSubset {
  readonly offers: AddressReadiness
  readonly ports: EndpointPort[]
}

/**
 * Called with the subsets of a valid object. An address that is ready in one place and not ready in another counts as
 * not ready.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const known = new Map<string, OrderedAddress>()
  const offers = subsets.map((subset) => offersOf(subset, known))
  putInOrder(known)
  const packed = new Map<string, PackedSubset>()
  for (const group of groupsOf(subsets)) {
    const joined = joinedOffers(group, offers)
    const key = offersKey(joined)
    const same = packed.get(key)
    if (same === undefined) packed.set(key, { offers: joined, ports: group.ports })
    else for (const port of group.ports) same.ports.push(port)
  }
  const made = [...packed.values()].map((one) => ({ subset: subsetOf(one), text: "" }))
  if (made.length > 1) for (const one of made) one.text = stringify(one.subset)
  return made.sort((left, right) => compare(left.text, right.text)).map(({ subset }) => subset)
}

function offersOf(subset: EndpointSubset, known: Map<string, OrderedAddress>): AddressReadiness {
  const offers: AddressReadiness = new Map()
  for (const address of subset.addresses ?? []) offer(offers, knownOf(known, address), true)
  for (const address of subset.notReadyAddresses ?? []) offer(offers, knownOf(known, address), false)
  return offers
}

function offer(offers: AddressReadiness, known: OrderedAddress, ready: boolean): void {
  offers.set(known, ready && offers.get(known) !== false)
}

function knownOf(known: Map<string, OrderedAddress>, address: EndpointAddress): OrderedAddress {
  // No IP contains the separator and nothing sorts before it, so texts sort by IP, then uid.
  const identity = `${address.ip}\u0000${address.targetRef?.uid ?? ""}`
  let one = known.get(identity)
  if (one === undefined) {
    one = { address, order: 0 }
    known.set(identity, one)
  }
  return one
}

function putInOrder(known: ReadonlyMap<string, OrderedAddress>): void {
  let order = 0
  for (const identity of [...known.keys()].sort()) {
    const one = known.get(identity)
    if (one !== undefined) one.order = order++
  }
}

/** Addresses without ports are kept too, as a group without ports. */
function groupsOf(subsets: readonly EndpointSubset[]): PortGroup[] {
  const places = new Map<string, { port: EndpointPort | undefined; subsets: number[] }>()
  for (const [index, subset] of subsets.entries()) {
    const { ports = [] } = subset
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const key = port === undefined ? "" : portKey(port)
      const found = places.get(key)
      if (found === undefined) places.set(key, { port, subsets: [index] })
      else if (found.subsets.at(-1) !== index) found.subsets.push(index)
    }
  }
  const groups = new Map<string, PortGroup>()
  for (const { port, subsets: of } of places.values()) {
    const key = of.join(" ")
    const group = groups.get(key) ?? { subsets: of, ports: [] }
    if (port !== undefined) group.ports.push(port)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function joinedOffers(group: PortGroup, offers: readonly AddressReadiness[]): AddressReadiness {
  const joined: AddressReadiness = new Map()
  for (const index of group.subsets) for (const [known, ready] of offers[index] ?? []) offer(joined, known, ready)
  return new Map([...joined].sort(([left], [right]) => left.order - right.order))
}

function offersKey(offers: AddressReadiness): string {
  let key = ""
  for (const [{ order }, ready] of offers) key += ready ? `${order}+` : `${order}-`
  return key
}

/** Expects the offers in order. */
function subsetOf({ offers, ports }: PackedSubset): EndpointSubset {
  const addresses: EndpointAddress[] = []
  const notReadyAddresses: EndpointAddress[] = []
  for (const [{ address }, ready] of offers) (ready ? addresses : notReadyAddresses).push(address)
  return {
    ...(addresses.length > 0 && { addresses }),
    ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
    ...(ports.length > 0 && { ports: ports.sort(byPortNumber) }),
  }
}

function byPortNumber(left: EndpointPort, right: EndpointPort): number {
  return left.port - right.port || compare(portKey(left), portKey(right))
}

function portKey(port: EndpointPort): string {
  return [port.protocol ?? "", port.port, port.name ?? "", port.appProtocol ?? ""].join(" ")
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
