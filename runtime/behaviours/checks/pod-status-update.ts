/** The rules for a write of a pod's status (catalog validation.yaml: Pod, status). */
import { qualifiedNameFaults } from "../../schema/names.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { PodStatus } from "../../../generated/core/v1/shared/pod-status/types.ts"
import { isSidecar } from "../pods/fields.ts"

const builtInConditions = ["PodScheduled", "Ready", "Initialized", "ContainersReady", "DisruptionTarget", "PodReadyToStartContainers"]

/** Called for each pod; checks only writes of the status sub-resource. */
export const podStatusUpdate = defineCheck<Pod>((pod, context) => {
  const { old } = context
  if (context.subresource !== "status" || old === undefined) return
  const [status, before] = [pod.status, old.status]
  checkConditions(status, before, context)
  checkClaims(pod, context)
  for (const list of ["containerStatuses", "initContainerStatuses"] as const) checkStates(list, pod, before, context)
})

/**
 * Existing condition types are not checked, so that old pods can still be written. The reference names the path of the
 * others so.
 */
function checkConditions(status: PodStatus, before: PodStatus, context: CheckContext<unknown>): void {
  const known = new Set([...builtInConditions, ...(before.conditions ?? []).map((condition) => condition.type)])
  for (const [index, { type }] of (status.conditions ?? []).entries()) {
    if (known.has(type)) continue
    for (const fault of qualifiedNameFaults(type)) context.fail("Invalid", type, fault, `metadata.conditions[${index}].Type`)
  }
}

/** A pod has no claims while their gate is off, so it has no states of claims either. */
function checkClaims({ spec, status }: Pod, context: CheckContext<unknown>): void {
  const names = new Set(spec.resourceClaims?.map(({ name }) => name))
  for (const [index, { name }] of (status.resourceClaimStatuses ?? []).entries()) {
    if (names.has(name)) continue
    context.fail("Invalid", name, "must match the name of an entry in `spec.resourceClaims`", `status.resourceClaimStatuses[${index}].name`)
  }
}

/** A container that has terminated for good cannot start again. */
function checkStates(
  list: "containerStatuses" | "initContainerStatuses",
  { spec, status }: Pod,
  before: PodStatus,
  context: CheckContext<unknown>,
): void {
  const policy = spec.restartPolicy
  if (policy === "Always") return
  const sidecars = new Set(spec.initContainers?.filter(isSidecar).map((container) => container.name))
  const states = new Map(status[list]?.map((one, index) => [one.name, { state: one.state, index }]))
  for (const { name, state } of before[list] ?? []) {
    const { terminated } = state
    const now = states.get(name)
    if (terminated === undefined || now === undefined || sidecars.has(name)) continue
    if (policy === "OnFailure" && terminated.exitCode !== 0) continue
    if (now.state.terminated !== undefined) continue
    context.fail("Forbidden", undefined, "may not be transitioned to non-terminated state", `status.${list}[${now.index}].state`)
  }
}
