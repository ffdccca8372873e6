/**
 * Warnings about containers: fractional bytes, and variables and ports that are defined twice (catalog validation.yaml:
 * Pod, warnings).
 */
import type { ContainerPort } from "../../../generated/core/v1/shared/container/types.ts"
import { podWarningsMax } from "../../base/limits.ts"
import { fractionWarnings } from "../content/claim-warnings.ts"
import type { PlacedContainer } from "./fields.ts"

/** Maps of amounts by the name of the resource. */
type Amounts<Name extends string> = { readonly [Each in Name]?: Readonly<Record<string, string>> | undefined }

/** Warnings about memory and storage that are not whole bytes, in the maps of these names at `path`. */
export function byteWarnings<Name extends string>(amounts: Amounts<Name>, maps: readonly Name[], path: string): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) =>
    maps.flatMap((map) => fractionWarnings(amounts[map]?.[name], `${path}.${map}[${name}]`)),
  )
}

/** Warnings about variables that hide an earlier one of their name and do not use its value. */
export function variableWarnings({ container, path: below }: PlacedContainer, path: string): string[] {
  const seen = new Set<string>()
  const warnings: string[] = []
  for (const [index, { name, value = "", valueFrom }] of (container.env ?? []).entries()) {
    const own = `$(${name})`
    const hides = valueFrom !== undefined || value === own || !value.includes(own)
    if (seen.has(name) && hides)
      warnings.push(`${path}.${below}.env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`)
    seen.add(name)
  }
  return warnings
}

interface PlacedPort {
  readonly place: string
  readonly order: number
  readonly hostIP: string
  readonly hostPort: number
}

/** Earlier ports of the same number and protocol. */
interface PortGroup {
  readonly all: PlacedPort[]
  readonly byHostPort: Map<number, PlacedPort[]>
  /** By host port and address. */
  readonly byHost: Map<string, PlacedPort[]>
}

/** A port as the reference writes it. */
function writtenPort({ containerPort, hostIP, name, protocol }: ContainerPort): string {
  return `{Name:${name ?? ""} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol ?? ""} HostIP:${hostIP ?? ""}}`
}

/** Warnings about all ports of the containers, which share one address. */
export function portWarnings(containers: readonly PlacedContainer[], path: string): string[] {
  const groups = new Map<string, PortGroup>()
  const warnings: string[] = []
  let order = 0
  for (const { container, path: below } of containers) {
    for (const [index, port] of (container.ports ?? []).entries()) {
      if (warnings.length >= podWarningsMax) return warnings
      const { containerPort, hostIP = "", hostPort = 0, protocol = "" } = port
      const placed: PlacedPort = { place: `${path}.${below}.ports[${index}]`, order: order++, hostIP, hostPort }
      if (hostIP !== "" && hostPort === 0) warnings.push(`${placed.place}: hostIP set without hostPort: ${writtenPort(port)}`)
      const key = `${containerPort}/${protocol}`
      const group = groups.get(key) ?? { all: [], byHostPort: new Map(), byHost: new Map() }
      groups.set(key, group)
      warnings.push(...clashes(placed, group, podWarningsMax - warnings.length))
      addTo(group, placed)
    }
  }
  return warnings
}

function addTo({ all, byHostPort, byHost }: PortGroup, port: PlacedPort): void {
  all.push(port)
  append(byHostPort, port.hostPort, port)
  append(byHost, `${port.hostPort}/${port.hostIP}`, port)
}

function append<Key>(lists: Map<Key, PlacedPort[]>, key: Key, port: PlacedPort): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [port])
  else list.push(port)
}

/**
 * Returns warnings about earlier ports of the group that this port conflicts with, at most `max`. A definition without
 * a host port adds nothing to the other one; a host port that is bound to all addresses and to one of them is a
 * conflict.
 */
function clashes(port: PlacedPort, { all, byHostPort, byHost }: PortGroup, max: number): string[] {
  const { hostIP, hostPort, place } = port
  const of = (address: string): readonly PlacedPort[] => (byHost.get(`${hostPort}/${address}`) ?? []).slice(0, max)
  const sharing = hostIP === "" ? (byHostPort.get(hostPort) ?? []).slice(0, max) : [...of(hostIP), ...of("")]
  const others = hostPort === 0 ? all.slice(0, max) : [...(byHostPort.get(0) ?? []).slice(0, max), ...sharing]
  const how = (other: PlacedPort): string => {
    if (other.hostIP === hostIP && other.hostPort === hostPort) return "duplicate"
    return other.hostPort === 0 || hostPort === 0 ? "overlapping" : "dangerously ambiguous"
  }
  return others
    .sort((one, other) => one.order - other.order)
    .slice(0, max)
    .map((other) => `${place}: ${how(other)} port definition with ${other.place}`)
}
