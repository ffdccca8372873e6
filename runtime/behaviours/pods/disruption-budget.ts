/** Charges a pod's eviction to its disruption budget (catalog resources.yaml: pods, evictionRules). */
import { type ApiError, forbidden, tooManyRequests } from "../../base/errors.ts"
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../../generated/policy/v1/pod-disruption-budget/types.ts"
import { disruptedPodsMax } from "../../base/limits.ts"
import { withCondition } from "./conditions.ts"

const refusal = "Cannot evict pod as it would violate the pod's disruption budget."

/**
 * Returns the budget with one allowed disruption less and the pod among the disrupted ones. Throws 429 with cause
 * DisruptionBudget when no disruption is allowed, 403 for a budget that cannot be charged.
 */
export function charged(budget: PodDisruptionBudget, { pod, now }: { pod: string; now: string }): PodDisruptionBudget {
  const { metadata, status } = budget
  const { name = "" } = metadata
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw stillProcessed(name)
  const allowed = status.disruptionsAllowed
  const subject = { group: "policy", resource: "poddisruptionbudget", name }
  if (allowed < 0) throw forbidden(subject, "the number of disruptions that it allows is negative")
  const disrupted = status.disruptedPods ?? {}
  if (Object.keys(disrupted).length > disruptedPodsMax)
    throw forbidden(subject, `more than ${disruptedPodsMax} evictions have not been seen by the budget's controller yet`)
  if (allowed === 0) throw exhausted(name, status)
  const next = { ...status, disruptionsAllowed: allowed - 1, disruptedPods: { ...disrupted, [pod]: now } }
  return { ...budget, status: allowed === 1 ? insufficient(next, now) : next }
}

/** 429: the budget's counts do not reflect its latest change yet, or the pod changed while it was checked. */
export function stillProcessed(budget: string): ApiError {
  const message = `The disruption budget ${budget} is still being processed by the server.`
  return tooManyRequests(refusal, 10, [{ reason: "DisruptionBudget", message }])
}

function exhausted(name: string, status: PodDisruptionBudgetStatus): ApiError {
  const { currentHealthy: current, desiredHealthy: desired } = status
  const message = `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`
  return tooManyRequests(refusal, 0, [{ reason: "DisruptionBudget", message }])
}

/** The condition DisruptionAllowed follows the count. Its time is the transition from true to false. */
function insufficient(status: PodDisruptionBudgetStatus, now: string): PodDisruptionBudgetStatus {
  const before = status.conditions?.find(({ type }) => type === "DisruptionAllowed")
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    observedGeneration: status.observedGeneration ?? 0,
    lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : now,
    reason: "InsufficientPods",
    message: "",
  }
  return { ...status, conditions: withCondition(status.conditions, condition) }
}
