/**
 * Rules over all containers of a pod spec: unique names, and the fields that are reserved for init containers, sidecars
 * and ephemeral containers (catalog validation.yaml: Container, InitContainer, EphemeralContainer, LifecycleHandler).
 */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { containersOf, isSidecar, listOf, numberOf, objectAt, type PlacedContainer, textOf } from "../pods/fields.ts"

/** Called for each pod spec, of pods and of templates. */
export function podContainers(spec: JsonValue, context: CheckContext): void {
  const containers = containersOf(spec)
  checkNames(containers, context)
  const targets = new Set([...listOf(spec, "containers"), ...listOf(spec, "initContainers")].map((container) => container["name"]))
  const graceSeconds = numberOf(spec, "terminationGracePeriodSeconds")
  for (const placed of containers) {
    if (context.failures.full) return
    if (placed.list === "containers" && placed.container["restartPolicy"] !== undefined) {
      context.fail("Forbidden", undefined, "may not be set for non-init containers", `${placed.path}.restartPolicy`)
    }
    if (placed.list === "initContainers") checkInit(placed, context)
    if (placed.list === "ephemeralContainers") checkTarget(placed, targets, context)
    if (graceSeconds !== undefined) checkSleeps(placed, graceSeconds, context)
  }
}

/** The list itself reports names that are repeated within it. */
function checkNames(containers: readonly PlacedContainer[], context: CheckContext): void {
  const listByName = new Map<string, string>()
  for (const { container, list, path } of containers) {
    const name = textOf(container, "name")
    const other = listByName.get(name)
    if (name !== "" && other !== undefined && other !== list) context.fail("Duplicate", name, "", `${path}.name`)
    if (other === undefined) listByName.set(name, list)
  }
}

function checkInit({ container, path }: PlacedContainer, context: CheckContext): void {
  const policy = container["restartPolicy"]
  if (policy !== undefined && policy !== "Always") {
    context.failures.add({
      type: "NotSupported",
      field: context.at(`${path}.restartPolicy`),
      value: policy,
      detail: "",
      supported: ["Always"],
    })
  }
  if (isSidecar(container)) return
  for (const name of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]) {
    if (container[name] !== undefined)
      context.fail("Forbidden", undefined, "may not be set for init containers without restartPolicy=Always", `${path}.${name}`)
  }
}

function checkTarget({ container, path }: PlacedContainer, targets: ReadonlySet<JsonValue | undefined>, context: CheckContext): void {
  const target = textOf(container, "targetContainerName")
  if (target !== "" && !targets.has(target)) context.fail("NotFound", target, "", `${path}.targetContainerName`)
}

function checkSleeps({ container, path }: PlacedContainer, graceSeconds: number, context: CheckContext): void {
  for (const hook of ["postStart", "preStop"]) {
    const sleep: JsonObject | undefined = objectAt(container, "lifecycle", hook, "sleep")
    if (sleep === undefined) continue
    const seconds = numberOf(sleep, "seconds") ?? 0
    if (seconds > 0 && seconds <= graceSeconds) continue
    context.fail(
      "Invalid",
      seconds,
      `must be greater than 0 and no more than terminationGracePeriodSeconds (${graceSeconds})`,
      `${path}.lifecycle.${hook}.sleep.seconds`,
    )
  }
}
