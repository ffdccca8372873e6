/**
 * Changes to pods besides validation: initial status, quality-of-service class, graceful deletion (catalog
 * resources.yaml: pods).
 */
import { defineBehaviour } from "../schema/define.ts"
import { deepClone } from "../encoding/field-path.ts"
import type { Pod } from "../../generated/core/v1/pod/types.ts"
import type { PodStatus } from "../../generated/core/v1/shared/pod-status/types.ts"
import { QuantityError } from "../base/quantity.ts"
import { hasFineResources, roundResources } from "./content/milli-quantities.ts"
import { mayFillProfiles, keepAppArmorInStep } from "./pods/app-armor.ts"
import { withPodCondition } from "./pods/conditions.ts"
import { qualityOfService } from "./pods/quality-of-service.ts"

const gated = {
  type: "PodScheduled",
  status: "False",
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
}

/** Behaviour `podLifecycle`. */
export const podLifecycle = defineBehaviour<Pod>(({ vendor }) => ({
  // Before the fields are tracked: the manager of the one address also owns the list.
  decoded: keepAddressesInStep,
  prepareCreate(object, { warn }) {
    if (mayFillProfiles(object, vendor)) object.spec = deepClone(object.spec)
    correctSpec(object)
    keepAppArmorInStep(object, vendor, warn)
    const status: PodStatus = { phase: "Pending", ...classOf(object) }
    object.status = (object.spec.schedulingGates ?? []).length > 0 ? withPodCondition(status, gated) : status
  },
  prepareUpdate(object, _old, { subresource }) {
    if (subresource === undefined) correctSpec(object)
  },
  graceSeconds(object, asked) {
    if (needsNoGracePeriod(object)) return 0
    const seconds = asked ?? Number(object.spec.terminationGracePeriodSeconds ?? 0)
    return seconds < 0 ? 1 : seconds
  },
}))

/** A spec is copied before it is changed: other pods or attempts may share it. */
function correctSpec(pod: Pod): void {
  if (!hasFineResources(pod.spec) && !hasNegativePeriod(pod.spec)) return
  pod.spec = deepClone(pod.spec)
  roundResources(pod.spec)
  correctGracePeriod(pod.spec)
}

function hasNegativePeriod(spec: Pod["spec"]): boolean {
  return Number(spec.terminationGracePeriodSeconds ?? 0) < 0
}

/** A negative period counts as the shortest one, 1. A template keeps a negative period; its pods get 1. */
function correctGracePeriod(spec: Pod["spec"]): void {
  if (hasNegativePeriod(spec)) spec.terminationGracePeriodSeconds = 1
}

/** Whether no node has to stop containers before the pod is deleted. */
function needsNoGracePeriod({ spec, status }: Pod): boolean {
  return (spec.nodeName ?? "") === "" || status.phase === "Succeeded" || status.phase === "Failed"
}

/**
 * The class of a new pod: the class that the client sent, whatever it is, as in the reference; otherwise the class of
 * its amounts. Amounts that cannot be parsed are ignored: the validator refuses the pod.
 */
function classOf(pod: Pick<Pod, "spec"> & { readonly status?: PodStatus }): Pick<PodStatus, "qosClass"> {
  const { qosClass } = pod.status ?? {} // A pod that the server makes itself has no status yet.
  if (qosClass !== undefined) return { qosClass }
  try {
    return { qosClass: qualityOfService(pod.spec) }
  } catch (error) {
    if (error instanceof QuantityError) return {}
    throw error
  }
}

/**
 * `podIP` is always the first of `podIPs` and wins over it for old writers that know only
 * `podIP`.
 */
function keepAddressesInStep({ status }: { readonly status?: PodStatus }): void {
  if (status === undefined) return
  const { podIP = "", podIPs: [first] = [] } = status
  if (podIP !== "" && podIP !== first?.ip) status.podIPs = [{ ip: podIP }]
  else if (podIP === "" && first !== undefined && first.ip !== "") status.podIP = first.ip
}
