/**
 * Rules over all containers of a pod spec: unique names, and the fields that are reserved for init containers, sidecars
 * and ephemeral containers (catalog validation.yaml: Container, InitContainer, EphemeralContainer, LifecycleHandler).
 */
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { containersOf, isSidecar, type PlacedContainer } from "../pods/fields.ts"

/** Called for each pod spec, of pods and of templates. */
export const podContainers = defineCheck<PodSpec>((spec, context) => {
  const containers = containersOf(spec)
  checkNames(containers, context)
  const targets = new Set(containers.filter(({ list }) => list !== "ephemeralContainers").map(({ container }) => container.name))
  const { terminationGracePeriodSeconds: grace } = spec
  const graceSeconds = grace === undefined ? undefined : Number(grace)
  for (const placed of containers) {
    if (context.failures.full) return
    if (placed.list === "containers" && placed.container.restartPolicy !== undefined) {
      context.fail("Forbidden", undefined, "may not be set for non-init containers", `${placed.path}.restartPolicy`)
    }
    if (placed.list === "initContainers") checkInit(placed, context)
    if (placed.list === "ephemeralContainers") checkTarget(placed, targets, context)
    if (graceSeconds !== undefined) checkSleeps(placed, graceSeconds, context)
  }
})

/** The list itself reports names that are repeated within it. */
function checkNames(containers: readonly PlacedContainer[], context: CheckContext<unknown>): void {
  const listByName = new Map<string, string>()
  for (const { container, list, path } of containers) {
    const { name } = container
    const other = listByName.get(name)
    if (name !== "" && other !== undefined && other !== list) context.fail("Duplicate", name, "", `${path}.name`)
    if (other === undefined) listByName.set(name, list)
  }
}

function checkInit({ container, path }: PlacedContainer, context: CheckContext<unknown>): void {
  const policy = container.restartPolicy
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
  for (const name of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
    if (container[name] !== undefined)
      context.fail("Forbidden", undefined, "may not be set for init containers without restartPolicy=Always", `${path}.${name}`)
  }
}

function checkTarget({ container, path }: PlacedContainer, targets: ReadonlySet<string>, context: CheckContext<unknown>): void {
  const target = ("targetContainerName" in container ? container.targetContainerName : undefined) ?? ""
  if (target !== "" && !targets.has(target)) context.fail("NotFound", target, "", `${path}.targetContainerName`)
}

function checkSleeps({ container, path }: PlacedContainer, graceSeconds: number, context: CheckContext<unknown>): void {
  for (const hook of ["postStart", "preStop"] as const) {
    const sleep = container.lifecycle?.[hook]?.sleep
    if (sleep === undefined) continue
    const seconds = Number(sleep.seconds)
    if (seconds > 0 && seconds <= graceSeconds) continue
    context.fail(
      "Invalid",
      seconds,
      `must be greater than 0 and less than terminationGracePeriodSeconds (${graceSeconds})`,
      `${path}.lifecycle.${hook}.sleep`,
    )
  }
}
