/** Conditions in a pod's status: one entry per type. */
import type { JsonObject } from "../../base/json.ts"
import { listOf, textOf } from "./fields.ts"

/** Returns a copy of the status in which `condition` replaces the one of its type, or is appended. */
export function withCondition(status: JsonObject, condition: JsonObject): JsonObject {
  const conditions = [...listOf(status, "conditions")]
  const index = conditions.findIndex((one) => textOf(one, "type") === textOf(condition, "type"))
  if (index < 0) conditions.push(condition)
  else conditions[index] = condition
  const { phase, conditions: _replaced, ...rest } = status
  return { ...(phase !== undefined && { phase }), conditions, ...rest }
}

/**
 * Like `withCondition` for a condition of a pod, in the form that a decoded one has: unset times are null, not absent.
 */
export function withPodCondition(
  status: JsonObject,
  condition: JsonObject & { readonly type: string; readonly status: string },
): JsonObject {
  const { type, status: holds, ...rest } = condition
  return withCondition(status, { type, status: holds, lastProbeTime: null, lastTransitionTime: null, ...rest })
}
