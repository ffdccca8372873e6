/** Conditions of a definition, and the finalizer that keeps it while objects of its kind exist. */
import type { CustomResourceDefinitionCondition } from "../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"

/** Neutral: `vendor.group` maps it. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.orch.io"

export type DefinitionCondition = CustomResourceDefinitionCondition

/**
 * Returns the conditions with this one in its place, or at the end. Its time is the last change of its status: the
 * previous time while the status stays, else `now`.
 */
export function withCondition(
  conditions: readonly DefinitionCondition[],
  condition: Omit<DefinitionCondition, "lastTransitionTime">,
  now: string,
): DefinitionCondition[] {
  const at = conditions.findIndex(({ type }) => type === condition.type)
  const before = conditions[at]
  const { type, status, ...text } = condition
  const lastTransitionTime = (before?.status === status ? before.lastTransitionTime : undefined) ?? now
  const next = { type, status, lastTransitionTime, ...text }
  return at < 0 ? [...conditions, next] : conditions.map((one, index) => (index === at ? next : one))
}

/** Whether there is a condition of this type with status True. */
export function isConditionTrue(conditions: readonly DefinitionCondition[] | null | undefined, type: string): boolean {
  return conditions?.some((one) => one.type === type && one.status === "True") === true
}
