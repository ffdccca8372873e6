/**
 * Plans which EndpointSlices to create, update and delete for the wanted endpoints, with few writes: an endpoint stays
 * in its slice; new ones fill slices that change anyway, then slices with room. Pure.
 */
import type { EndpointInput, EndpointPort, EndpointSlice } from "../../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"
import { Turns } from "../../base/turns.ts"
import { endpointWork } from "./pod-record.ts"

/** Endpoints with the same ports and address family. */
export interface EndpointGroup {
  readonly addressType: "IPv4" | "IPv6"
  readonly ports: readonly EndpointPort[]
  /** By `endpointKey`. */
  readonly endpoints: ReadonlyMap<string, EndpointInput>
}

export interface SliceContent {
  readonly addressType: "IPv4" | "IPv6"
  readonly ports: readonly EndpointPort[]
  readonly endpoints: readonly EndpointInput[]
}

export interface SlicePlan {
  readonly creations: readonly SliceContent[]
  readonly updates: readonly { readonly slice: EndpointSlice; readonly content: SliceContent }[]
  readonly deletions: readonly EndpointSlice[]
}

export interface PlanInputs {
  readonly existing: readonly EndpointSlice[]
  /** A group without endpoints keeps one empty slice, which says that there are none. */
  readonly wanted: readonly EndpointGroup[]
  readonly endpointsMax: number
  /** Whether labels or annotations of a slice have to change. */
  readonly isOutdated: (slice: EndpointSlice) => boolean
}

/** Identifies an endpoint, independent of its conditions. */
export function endpointKey({ addresses, targetRef, hostname = "" }: EndpointInput): string {
  return [targetRef?.namespace ?? "", targetRef?.name ?? "", hostname, ...addresses].join(" ")
}

/** Called for each changed service. Large ones take several turns of the event loop. */
export async function planSlices(inputs: PlanInputs): Promise<SlicePlan> {
  const turns = new Turns()
  const creations: SliceContent[] = []
  const updates: { slice: EndpointSlice; content: SliceContent }[] = []
  const byGroup = new Map<string, EndpointSlice[]>()
  for (const slice of inputs.existing) {
    const key = groupKey(slice.addressType, slice.ports ?? [])
    byGroup.set(key, [...(byGroup.get(key) ?? []), slice])
  }
  const empty: EndpointSlice[] = []
  for (const group of inputs.wanted) {
    const key = groupKey(group.addressType, group.ports)
    const filled = await fill(group, byGroup.get(key) ?? [], { inputs, turns })
    byGroup.delete(key)
    creations.push(...filled.creations)
    updates.push(...filled.updates)
    empty.push(...filled.empty)
  }
  const unused = [...empty, ...[...byGroup.values()].flat()]
  // A slice to be deleted gets the content of one to be created: one write instead of two.
  const created = creations.filter((content) => {
    const at = unused.findIndex(({ addressType }) => addressType === content.addressType)
    const [slice] = at < 0 ? [] : unused.splice(at, 1)
    if (slice !== undefined) updates.push({ slice, content })
    return slice === undefined
  })
  return { creations: created, updates, deletions: unused }
}

interface Filled {
  readonly creations: readonly SliceContent[]
  readonly updates: readonly { readonly slice: EndpointSlice; readonly content: SliceContent }[]
  /** Slices without remaining endpoints. */
  readonly empty: readonly EndpointSlice[]
}

interface Kept {
  readonly slice: EndpointSlice
  readonly endpoints: EndpointInput[]
  changed: boolean
}

async function fill(
  { addressType, ports, endpoints }: EndpointGroup,
  slices: readonly EndpointSlice[],
  { inputs, turns }: { inputs: PlanInputs; turns: Turns },
): Promise<Filled> {
  const left = new Map(endpoints)
  const kept: Kept[] = []
  for (const slice of slices) {
    kept.push(keep(slice, left, inputs.isOutdated(slice)))
    if (turns.isOver(endpointWork * (slice.endpoints?.length ?? 0))) await turns.next()
  }
  const isEmptyGroup = endpoints.size === 0
  const [first] = kept
  const used = isEmptyGroup ? (first === undefined ? [] : [first]) : kept.filter((one) => one.endpoints.length > 0)
  const { endpointsMax } = inputs
  const rest = [...left.values()]
  for (const one of used) if (one.changed) one.endpoints.push(...rest.splice(0, endpointsMax - one.endpoints.length))
  const last = rest.length % endpointsMax
  const roomy = used.filter((one) => !one.changed && one.endpoints.length + last <= endpointsMax)
  const [fullest] = roomy.sort((one, other) => other.endpoints.length - one.endpoints.length)
  if (last > 0 && fullest !== undefined) {
    fullest.endpoints.push(...rest.splice(rest.length - last))
    fullest.changed = true
  }
  const contents: EndpointInput[][] = isEmptyGroup && used.length === 0 ? [[]] : []
  while (rest.length > 0) contents.push(rest.splice(0, endpointsMax))
  return {
    creations: contents.map((content) => ({ addressType, ports, endpoints: content })),
    updates: used
      .filter(({ changed }) => changed)
      .map((one) => ({ slice: one.slice, content: { addressType, ports, endpoints: one.endpoints } })),
    empty: kept.filter((one) => !used.includes(one)).map(({ slice }) => slice),
  }
}

/** The endpoints that stay in a slice, in their newest state; removes them from `left`. */
function keep(slice: EndpointSlice, left: Map<string, EndpointInput>, isOutdated: boolean): Kept {
  const kept: Kept = { slice, endpoints: [], changed: isOutdated }
  for (const endpoint of slice.endpoints ?? []) {
    const key = endpointKey(endpoint)
    const now = left.get(key)
    left.delete(key)
    if (now !== undefined) kept.endpoints.push(now)
    if (now === undefined || stateOf(now) !== stateOf(endpoint)) kept.changed = true
  }
  return kept
}

function stateOf({ conditions = {}, nodeName, zone, targetRef }: EndpointInput): string {
  const { ready, serving, terminating } = conditions
  return JSON.stringify([ready, serving, terminating, nodeName, zone, targetRef?.uid])
}

/** Identifies a group; also called with the ports of one endpoint. */
export function groupKey(addressType: string, ports: readonly EndpointPort[]): string {
  const texts = ports.map(({ name = "", protocol = "TCP", port, appProtocol = "" }) => JSON.stringify([name, protocol, port, appProtocol]))
  return [addressType, ...texts.sort()].join(" ")
}
