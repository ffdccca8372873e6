/**
 * Ports over all containers of a pod spec: names are unique per container, host ports per pod (catalog validation.yaml:
 * Container). Containers that run together, including sidecars, share the node's ports; any other init container runs
 * alone.
 */
import type { JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { containersOf, isSidecar, listOf, numberOf, objectAt, type PlacedContainer, textOf } from "../pods/fields.ts"

/** Called for each pod spec, of pods and of templates. */
export function podPorts(spec: JsonValue, context: CheckContext): void {
  const together = new Set<string>()
  const onHostNetwork = objectAt(spec)?.["hostNetwork"] === true
  for (const placed of containersOf(spec)) {
    if (placed.list === "ephemeralContainers") continue
    checkNames(placed, context)
    const alone = placed.list === "initContainers" && !isSidecar(placed.container)
    checkHostPorts(placed, alone ? new Set() : together, context)
    if (onHostNetwork) checkSameNumbers(placed, context)
  }
}

function checkNames({ container, path }: PlacedContainer, context: CheckContext): void {
  const seen = new Set<string>()
  for (const [index, port] of listOf(container, "ports").entries()) {
    const name = textOf(port, "name")
    if (name !== "" && seen.has(name)) context.fail("Duplicate", name, "", `${path}.ports[${index}].name`)
    seen.add(name)
  }
}

function checkHostPorts({ container, path }: PlacedContainer, taken: Set<string>, context: CheckContext): void {
  for (const [index, port] of listOf(container, "ports").entries()) {
    const hostPort = numberOf(port, "hostPort") ?? 0
    if (hostPort === 0) continue
    const key = `${textOf(port, "protocol")}/${textOf(port, "hostIP")}/${hostPort}`
    if (taken.has(key)) context.fail("Duplicate", key, "", `${path}.ports[${index}].hostPort`)
    taken.add(key)
  }
}

/** Templates may omit `hostPort`: it is set when the pod is created. */
function checkSameNumbers({ container, path }: PlacedContainer, context: CheckContext): void {
  const required = context.root.kind === "Pod"
  for (const [index, port] of listOf(container, "ports").entries()) {
    const hostPort = numberOf(port, "hostPort") ?? 0
    if ((hostPort === 0 && !required) || hostPort === numberOf(port, "containerPort")) continue
    context.fail("Invalid", hostPort, "must match `containerPort` when `hostNetwork` is true", `${path}.ports[${index}].hostPort`)
  }
}
