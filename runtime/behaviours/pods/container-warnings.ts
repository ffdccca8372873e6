/**
 * Warnings about containers: fractional bytes, and variables and ports that are defined twice (catalog validation.yaml:
 * Pod, warnings).
 */
import { quantity } from "../../schema/expression.ts"
import { Amount } from "../../schema/measures.ts"
import type { ContainerPort } from "../../../generated/core/v1/shared/container/types.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { quantityMilliValue } from "../../base/quantity.ts"
import { podWarningsMax } from "../../base/limits.ts"
import { containersOf, type PlacedContainer } from "./fields.ts"

/** Called with the pod spec at field path `path`. */
export function containerWarnings(spec: PodSpec, path: string): string[] {
  const all = containersOf(spec)
  const containers = all.filter(({ list }) => list !== "ephemeralContainers")
  return [...all.flatMap((placed) => [...byteWarnings(placed, path), ...variableWarnings(placed, path)]), ...portWarnings(containers, path)]
}

function byteWarnings({ container, path: below }: PlacedContainer, path: string): string[] {
  return (["limits", "requests"] as const).flatMap((map) =>
    ["memory", "ephemeral-storage"].flatMap((name) => {
      const value = container.resources[map]?.[name]
      const amount = quantity(value)
      if (!(amount instanceof Amount) || quantityMilliValue(amount.quantity) % 1000n === 0n) return []
      return [`${path}.${below}.resources.${map}[${name}]: fractional byte value "${String(value)}" is invalid, must be an integer`]
    }),
  )
}

function variableWarnings({ container, path: below }: PlacedContainer, path: string): string[] {
  const seen = new Set<string>()
  const warnings: string[] = []
  for (const [index, { name }] of (container.env ?? []).entries()) {
    if (seen.has(name))
      warnings.push(`${path}.${below}.env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`)
    seen.add(name)
  }
  return warnings
}

interface PlacedPort {
  readonly place: string
  readonly order: number
}

/** Ports that are equal except for the host IP. */
interface PortGroup {
  readonly all: PlacedPort[]
  readonly byHostIP: Map<string, PlacedPort[]>
}

/** A port as the reference writes it. */
function writtenPort({ containerPort, hostIP, name, protocol }: ContainerPort): string {
  return `{Name:${name ?? ""} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol ?? ""} HostIP:${hostIP ?? ""}}`
}

function portWarnings(containers: readonly PlacedContainer[], path: string): string[] {
  const groups = new Map<string, PortGroup>()
  const warnings: string[] = []
  let order = 0
  for (const { container, path: below } of containers) {
    for (const [index, port] of (container.ports ?? []).entries()) {
      if (warnings.length >= podWarningsMax) return warnings
      const placed: PlacedPort = { place: `${path}.${below}.ports[${index}]`, order: order++ }
      const { containerPort, hostIP = "", hostPort = 0, protocol = "" } = port
      if (hostIP !== "" && hostPort === 0) warnings.push(`${placed.place}: hostIP set without hostPort: ${writtenPort(port)}`)
      const key = `${containerPort}/${hostPort}/${protocol}`
      const group = groups.get(key) ?? { all: [], byHostIP: new Map() }
      groups.set(key, group)
      warnings.push(...clashes(placed, hostIP, { group, onNode: hostPort !== 0, max: podWarningsMax - warnings.length }))
    }
  }
  return warnings
}

/**
 * Returns warnings about earlier ports of the group that this port conflicts with, at most `max`, and adds it to the
 * group. A duplicate definition is harmless but useless; a host port bound both to all addresses and to one of them is
 * a conflict.
 */
function clashes(port: PlacedPort, hostIP: string, from: { group: PortGroup; onNode: boolean; max: number }): string[] {
  const { all, byHostIP } = from.group
  const same = byHostIP.get(hostIP) ?? []
  const overlapping = !from.onNode
    ? same
    : hostIP === ""
      ? all
      : inOrder(same.slice(0, from.max), (byHostIP.get("") ?? []).slice(0, from.max))
  const twins = new Set(same.slice(0, from.max))
  const texts = overlapping
    .slice(0, from.max)
    .map((other) => `${port.place}: ${twins.has(other) ? "duplicate" : "overlapping"} port definition with ${other.place}`)
  all.push(port)
  if (same.push(port) === 1) byHostIP.set(hostIP, same)
  return texts
}

function inOrder(left: readonly PlacedPort[], right: readonly PlacedPort[]): PlacedPort[] {
  return [...left, ...right].sort((one, other) => one.order - other.order)
}
