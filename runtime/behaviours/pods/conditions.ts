/** Conditions in a status: one entry per type. */
import type { PodCondition, PodStatus } from "../../../generated/core/v1/shared/pod-status/types.ts"

/** Returns a copy of the list in which `condition` replaces the condition of its type, or is appended. */
export function withCondition<Condition extends { type: string }>(
  conditions: readonly Condition[] | undefined,
  condition: Condition,
): Condition[] {
  const next = [...(conditions ?? [])]
  const index = next.findIndex(({ type }) => type === condition.type)
  if (index < 0) next.push(condition)
  else next[index] = condition
  return next
}

/** A copy of a pod's status with this condition; times that it does not name are null, as decoding writes them. */
export function withPodCondition(
  { phase, conditions, ...rest }: PodStatus,
  { type, status, ...facts }: Pick<PodCondition, "type" | "status"> & Partial<PodCondition>,
): PodStatus {
  const condition: PodCondition = { type, status, lastProbeTime: null, lastTransitionTime: null, ...facts }
  return { ...(phase !== undefined && { phase }), conditions: withCondition(conditions, condition), ...rest }
}
