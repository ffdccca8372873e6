/** Warnings about containers: parts of bytes, variables and ports stated twice (catalog validation.yaml: Pod, warnings). */
import { Amount, quantity } from "../../kit/expression.ts"
import type { JsonObject } from "../../kit/json.ts"
import { quantityMilliValue } from "../../kit/quantity.ts"
import { containersOf, listOf, numberOf, objectAt, type PlacedContainer, textOf } from "./fields.ts"

/** Called with a pod spec that stands at `path`. */
export function containerWarnings(spec: JsonObject, path: string): string[] {
  const containers = containersOf(spec).filter(({ list }) => list !== "ephemeralContainers")
  return [
    ...containers.flatMap((placed) => [...byteWarnings(placed, path), ...variableWarnings(placed, path)]),
    ...portWarnings(containers, path),
  ]
}

function byteWarnings({ container, path: below }: PlacedContainer, path: string): string[] {
  return ["limits", "requests"].flatMap((map) =>
    ["memory", "ephemeral-storage"].flatMap((name) => {
      const value = objectAt(container, "resources", map)?.[name]
      const amount = quantity(value)
      if (!(amount instanceof Amount) || quantityMilliValue(amount.quantity) % 1000n === 0n) return []
      return [`${path}.${below}.resources.${map}[${name}]: fractional byte value "${String(value)}" is invalid, must be an integer`]
    }),
  )
}

function variableWarnings({ container, path: below }: PlacedContainer, path: string): string[] {
  const seen = new Set<string>()
  return listOf(container, "env").flatMap((variable, index) => {
    const name = textOf(variable, "name")
    const warnings = seen.has(name)
      ? [`${path}.${below}.env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`]
      : []
    seen.add(name)
    return warnings
  })
}

interface PlacedPort {
  readonly place: string
  readonly containerPort: number
  readonly hostPort: number
  readonly hostIP: string
  readonly protocol: string
}

function portWarnings(containers: readonly PlacedContainer[], path: string): string[] {
  const seen: PlacedPort[] = []
  const warnings: string[] = []
  for (const { container, path: below } of containers) {
    for (const [index, port] of listOf(container, "ports").entries()) {
      const placed: PlacedPort = {
        place: `${path}.${below}.ports[${index}]`,
        containerPort: numberOf(port, "containerPort") ?? 0,
        hostPort: numberOf(port, "hostPort") ?? 0,
        hostIP: textOf(port, "hostIP"),
        protocol: textOf(port, "protocol"),
      }
      if (placed.hostIP !== "" && placed.hostPort === 0) warnings.push(`${placed.place}: hostIP set without hostPort: "${placed.hostIP}"`)
      warnings.push(...seen.flatMap((other) => clash(placed, other) ?? []))
      seen.push(placed)
    }
  }
  return warnings
}

/** The same definition twice is harmless but pointless; an address of the node bound both in general and in particular is neither. */
function clash(port: PlacedPort, other: PlacedPort): string | undefined {
  if (port.containerPort !== other.containerPort || port.protocol !== other.protocol || port.hostPort !== other.hostPort) return undefined
  if (port.hostIP === other.hostIP) return `${port.place}: duplicate port definition with ${other.place}`
  return port.hostPort !== 0 && (port.hostIP === "" || other.hostIP === "")
    ? `${port.place}: overlapping port definition with ${other.place}`
    : undefined
}
