/**
 * The canonical form of endpoint subsets (catalog resources.yaml: endpoints): addresses grouped by identical port sets, duplicates merged,
 * everything sorted, so that two writers who mean the same store the same. The reference sorts ports and subsets by a hash; here the order
 * can be read.
 */
import type { JsonObject } from "../../kit/json.ts"
import { stringify } from "../../kit/json-text.ts"
import { listOf, numberOf, objectAt, textOf } from "../pods/fields.ts"

/** Addresses that offer one port, by address and whether they are ready. */
type Offers = Map<JsonObject, boolean>

interface PortOffers {
  /** Absent: addresses without ports are kept too. */
  readonly port: JsonObject | undefined
  readonly offers: Offers
}

/** Called with the subsets of a valid object. An address that is ready in one place and not in another counts as not ready. */
export function repackSubsets(subsets: readonly JsonObject[]): JsonObject[] {
  const known = new Map<string, JsonObject>()
  const byPort = new Map<string, PortOffers>()
  for (const subset of subsets) {
    const ports = listOf(subset, "ports")
    for (const port of ports.length === 0 ? [undefined] : ports) offer(byPort, known, { subset, port })
  }
  const groups = new Map<string, { offers: Offers; ports: JsonObject[] }>()
  const order = new Map([...known.values()].sort(byAddress).map((address, index) => [address, index]))
  for (const { port, offers } of byPort.values()) {
    const key = groupKey(offers, order)
    const group = groups.get(key) ?? { offers, ports: [] }
    if (port !== undefined) group.ports.push(port)
    groups.set(key, group)
  }
  return [...groups.values()].map(subsetOf).sort(bySubset)
}

function offer(
  byPort: Map<string, PortOffers>,
  known: Map<string, JsonObject>,
  from: { subset: JsonObject; port: JsonObject | undefined },
): void {
  const { subset, port } = from
  const key = port === undefined ? "" : portKey(port)
  const found = byPort.get(key) ?? { port, offers: new Map() }
  byPort.set(key, found)
  for (const [list, ready] of [
    ["addresses", true],
    ["notReadyAddresses", false],
  ] as const) {
    for (const address of listOf(subset, list)) {
      const identity = `${textOf(address, "ip")} ${textOf(objectAt(address, "targetRef"), "uid")}`
      const one = known.get(identity) ?? address
      known.set(identity, one)
      found.offers.set(one, ready && found.offers.get(one) !== false)
    }
  }
}

function groupKey(offers: Offers, order: ReadonlyMap<JsonObject, number>): string {
  return [...offers]
    .map(([address, ready]) => `${order.get(address)}${ready ? "+" : "-"}`)
    .sort()
    .join(" ")
}

function subsetOf({ offers, ports }: { offers: Offers; ports: JsonObject[] }): JsonObject {
  const pick = (wanted: boolean): JsonObject[] =>
    [...offers]
      .filter(([, ready]) => ready === wanted)
      .map(([address]) => address)
      .sort(byAddress)
  const [addresses, notReadyAddresses] = [pick(true), pick(false)]
  return {
    ...(addresses.length > 0 && { addresses }),
    ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
    ...(ports.length > 0 && { ports: ports.sort(byPortNumber) }),
  }
}

function byAddress(left: JsonObject, right: JsonObject): number {
  return (
    compare(textOf(left, "ip"), textOf(right, "ip")) ||
    compare(textOf(objectAt(left, "targetRef"), "uid"), textOf(objectAt(right, "targetRef"), "uid"))
  )
}

function byPortNumber(left: JsonObject, right: JsonObject): number {
  return (numberOf(left, "port") ?? 0) - (numberOf(right, "port") ?? 0) || compare(portKey(left), portKey(right))
}

function bySubset(left: JsonObject, right: JsonObject): number {
  return compare(stringify(left), stringify(right))
}

function portKey(port: JsonObject): string {
  return [textOf(port, "protocol"), numberOf(port, "port") ?? 0, textOf(port, "name"), textOf(port, "appProtocol")].join(" ")
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
