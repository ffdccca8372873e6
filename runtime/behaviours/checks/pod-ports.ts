/**
 * Ports over all containers of a pod spec: names are unique per container, host ports per pod (catalog validation.yaml:
 * Container). Containers that run together, including sidecars, share the node's ports; any other init container runs
 * alone.
 */
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { containersOf, isSidecar, type PlacedContainer } from "../pods/fields.ts"

/** Called for each pod spec, of pods and of templates. */
export const podPorts = defineCheck<PodSpec>((spec, context) => {
  const together = new Set<string>()
  const onHostNetwork = spec.hostNetwork === true
  for (const placed of containersOf(spec)) {
    if (placed.list === "ephemeralContainers") continue
    checkNames(placed, context)
    const alone = placed.list === "initContainers" && !isSidecar(placed.container)
    checkHostPorts(placed, alone ? new Set() : together, context)
    if (onHostNetwork) checkSameNumbers(placed, context)
  }
})

function checkNames({ container, path }: PlacedContainer, context: CheckContext<unknown>): void {
  const seen = new Set<string>()
  for (const [index, port] of (container.ports ?? []).entries()) {
    const { name = "" } = port
    if (name !== "" && seen.has(name)) context.fail("Duplicate", name, "", `${path}.ports[${index}].name`)
    seen.add(name)
  }
}

function checkHostPorts({ container, path }: PlacedContainer, taken: Set<string>, context: CheckContext<unknown>): void {
  for (const [index, port] of (container.ports ?? []).entries()) {
    const { hostPort = 0 } = port
    if (hostPort === 0) continue
    const key = `${port.protocol ?? ""}/${port.hostIP ?? ""}/${hostPort}`
    if (taken.has(key)) context.fail("Duplicate", key, "", `${path}.ports[${index}].hostPort`)
    taken.add(key)
  }
}

/** Templates may omit `hostPort`: it is set when the pod is created. */
function checkSameNumbers({ container, path }: PlacedContainer, context: CheckContext<unknown>): void {
  const required = context.root.kind === "Pod"
  for (const [index, port] of (container.ports ?? []).entries()) {
    const { hostPort = 0 } = port
    if ((hostPort === 0 && !required) || hostPort === port.containerPort) continue
    context.fail("Invalid", hostPort, "must match `containerPort` when `hostNetwork` is true", `${path}.ports[${index}].hostPort`)
  }
}
