/** The rules for a write of a pod's status (catalog validation.yaml: Pod, status). */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { qualifiedNameFaults } from "../../schema/names.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { isSidecar, listOf, numberOf, objectAt, textOf } from "../pods/fields.ts"

const builtInConditions = ["PodScheduled", "Ready", "Initialized", "ContainersReady", "DisruptionTarget", "PodReadyToStartContainers"]

/** Called for each pod; checks only writes of the status sub-resource. */
export function podStatusUpdate(pod: JsonValue, context: CheckContext): void {
  const old = context.oldRoot
  if (context.subresource !== "status" || old === undefined) return
  const [status, before] = [objectAt(pod, "status") ?? {}, objectAt(old, "status") ?? {}]
  const classBefore = textOf(before, "qosClass")
  if (classBefore !== "" && textOf(status, "qosClass") !== classBefore)
    context.fail("Invalid", status["qosClass"] ?? null, "field is immutable", "status.qosClass")
  checkConditions(status, before, context)
  for (const list of ["containerStatuses", "initContainerStatuses"]) checkStates(list, pod, status, before, context)
}

/** Existing condition types are not checked, so that old pods can still be written. */
function checkConditions(status: JsonObject, before: JsonObject, context: CheckContext): void {
  const known = new Set([...builtInConditions, ...listOf(before, "conditions").map((condition) => textOf(condition, "type"))])
  for (const [index, condition] of listOf(status, "conditions").entries()) {
    const type = textOf(condition, "type")
    if (type === "" || known.has(type)) continue
    for (const fault of qualifiedNameFaults(type)) context.fail("Invalid", type, fault, `status.conditions[${index}].type`)
  }
}

/** A container that has terminated for good cannot start again. */
function checkStates(list: string, pod: JsonValue, status: JsonObject, before: JsonObject, context: CheckContext): void {
  const spec = objectAt(pod, "spec")
  const policy = textOf(spec, "restartPolicy")
  if (policy === "Always") return
  const sidecars = new Set(
    listOf(spec, "initContainers")
      .filter(isSidecar)
      .map((container) => textOf(container, "name")),
  )
  const states = new Map(listOf(status, list).map((one, index) => [textOf(one, "name"), { state: objectAt(one, "state"), index }]))
  for (const old of listOf(before, list)) {
    const name = textOf(old, "name")
    const terminated = objectAt(old, "state", "terminated")
    const now = states.get(name)
    if (terminated === undefined || now === undefined || sidecars.has(name)) continue
    if (policy === "OnFailure" && numberOf(terminated, "exitCode") !== 0) continue
    if (now.state?.["terminated"] !== undefined) continue
    context.fail("Forbidden", undefined, "may not be transitioned to non-terminated state", `status.${list}[${now.index}].state`)
  }
}
