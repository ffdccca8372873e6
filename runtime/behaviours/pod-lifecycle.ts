/** What happens to pods beyond validation: first status, class of service, graceful deletion (catalog resources.yaml: pods). */
import type { BehaviourFactory } from "../kit/behaviour.ts"
import { deepClone } from "../kit/field-path.ts"
import { type ApiObject, isObject, type JsonObject } from "../kit/json.ts"
import { QuantityError } from "../kit/quantity.ts"
import { roundResources } from "./content/milli-quantities.ts"
import { withPodCondition } from "./pods/conditions.ts"
import { listOf, numberOf, objectAt, textOf } from "./pods/fields.ts"
import { qualityOfService } from "./pods/quality-of-service.ts"

const gated = {
  type: "PodScheduled",
  status: "False",
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
}

/** Behaviour `podLifecycle`. */
export const podLifecycle: BehaviourFactory = () => ({
  prepareCreate(object) {
    // The spec may be the client's own, shared by every attempt.
    if (isObject(object.spec)) object.spec = deepClone(object.spec)
    roundResources(objectAt(object, "spec"))
    const status: JsonObject = { phase: "Pending", ...classOf(object) }
    object.status = listOf(object.spec, "schedulingGates").length > 0 ? withPodCondition(status, gated) : status
  },
  prepareUpdate(object, old, { subresource }) {
    if (subresource === "status") keepStatusWhole(object, old)
    if (subresource !== undefined) return
    roundResources(objectAt(object, "spec"))
    const spec = objectAt(object, "spec")
    // Pods from before the rule may have a negative period; updates set it right.
    if (spec !== undefined && (numberOf(spec, "terminationGracePeriodSeconds") ?? 0) < 0) spec.terminationGracePeriodSeconds = 1
  },
  graceSeconds(object, asked) {
    if (nobodyRuns(object)) return 0
    const seconds = asked ?? numberOf(object.spec, "terminationGracePeriodSeconds") ?? 0
    return seconds < 0 ? 1 : seconds
  },
})

/** No node has to stop containers first. */
function nobodyRuns(pod: ApiObject): boolean {
  return textOf(pod.spec, "nodeName") === "" || ["Succeeded", "Failed"].includes(textOf(pod.status, "phase"))
}

/** Amounts that are none are for the validator to refuse; the pod is not stored then. */
function classOf(pod: ApiObject): JsonObject {
  try {
    return { qosClass: qualityOfService(pod.spec) }
  } catch (error) {
    if (error instanceof QuantityError) return {}
    throw error
  }
}

/** The class of service never changes; `podIP` is always the first of `podIPs`, and wins where old writers know only it. */
function keepStatusWhole(pod: ApiObject, old: ApiObject): void {
  const status = objectAt(pod, "status")
  if (status === undefined) return
  const qosClass = textOf(old.status, "qosClass")
  if (textOf(status, "qosClass") === "" && qosClass !== "") status.qosClass = qosClass
  const [podIP, first] = [textOf(status, "podIP"), textOf(listOf(status, "podIPs")[0], "ip")]
  if (podIP !== "" && podIP !== first) status.podIPs = [{ ip: podIP }]
  else if (podIP === "" && first !== "") status.podIP = first
}
