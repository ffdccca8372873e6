/**
 * Changes to pods besides validation: initial status, quality-of-service class, graceful deletion (catalog
 * resources.yaml: pods).
 */
import type { BehaviourFactory } from "../schema/behaviour.ts"
import { deepClone } from "../encoding/field-path.ts"
import { type ApiObject, isObject, type JsonObject } from "../base/json.ts"
import { QuantityError } from "../base/quantity.ts"
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
    // Copied because the spec may be the client's own object, which every attempt shares.
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
    // Pods from before the rule may have a negative period; an update corrects it.
    if (spec !== undefined && (numberOf(spec, "terminationGracePeriodSeconds") ?? 0) < 0) spec.terminationGracePeriodSeconds = 1
  },
  graceSeconds(object, asked) {
    if (needsNoGracePeriod(object)) return 0
    const seconds = asked ?? numberOf(object.spec, "terminationGracePeriodSeconds") ?? 0
    return seconds < 0 ? 1 : seconds
  },
})

/** Whether no node has to stop containers before the pod is deleted. */
function needsNoGracePeriod(pod: ApiObject): boolean {
  return textOf(pod.spec, "nodeName") === "" || ["Succeeded", "Failed"].includes(textOf(pod.status, "phase"))
}

/** The class of a new pod. Amounts that cannot be parsed are ignored: the validator refuses the pod. */
function classOf(pod: ApiObject): JsonObject {
  try {
    return { qosClass: qualityOfService(pod.spec) }
  } catch (error) {
    if (error instanceof QuantityError) return {}
    throw error
  }
}

/**
 * The class never changes. `podIP` is always the first of `podIPs` and wins over it for old writers that know only
 * `podIP`.
 */
function keepStatusWhole(pod: ApiObject, old: ApiObject): void {
  const status = objectAt(pod, "status")
  if (status === undefined) return
  const qosClass = textOf(old.status, "qosClass")
  if (textOf(status, "qosClass") === "" && qosClass !== "") status.qosClass = qosClass
  const [podIP, first] = [textOf(status, "podIP"), textOf(listOf(status, "podIPs")[0], "ip")]
  if (podIP !== "" && podIP !== first) status.podIPs = [{ ip: podIP }]
  else if (podIP === "" && first !== "") status.podIP = first
}
