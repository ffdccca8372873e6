/**
 * The choice of nodes of a pod with scheduling gates may become narrower, never wider (catalog validation.yaml: Pod,
 * update, `spec.nodeSelector` and `spec.affinity.nodeAffinity`).
 */
import { deepEqual } from "../../encoding/field-path.ts"
import type { JsonObject } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { listOf, objectAt } from "./fields.ts"

const required = "requiredDuringSchedulingIgnoredDuringExecution"

/** Called with two specs of a gated pod that differ only in fields a gated pod may change. */
export function checkNarrowed(spec: JsonObject, old: JsonObject, context: CheckContext): void {
  const [selector, selectorBefore] = [objectAt(spec, "nodeSelector") ?? {}, objectAt(old, "nodeSelector") ?? {}]
  if (Object.entries(selectorBefore).some(([label, value]) => selector[label] !== value)) {
    context.fail("Invalid", selector, "only additions are allowed (no mutations or deletions)", "spec.nodeSelector")
  }
  const before = objectAt(old, "affinity", "nodeAffinity", required)
  if (before === undefined) return
  const at = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`
  const terms = listOf(objectAt(spec, "affinity", "nodeAffinity", required), "nodeSelectorTerms")
  const termsBefore = listOf(before, "nodeSelectorTerms")
  if (terms.length !== termsBefore.length) {
    context.fail("Invalid", [...terms], "no additions/deletions to non-empty NodeSelectorTerms list are allowed", at)
    return
  }
  for (const [index, term] of terms.entries()) {
    if (!extendsTerm(term, termsBefore[index] ?? {}))
      context.fail("Invalid", term, "only additions are allowed (no mutations or deletions)", `${at}[${index}]`)
  }
}

/** An empty term matches nothing, so adding to it would widen the choice. */
function extendsTerm(term: JsonObject, before: JsonObject): boolean {
  const lists = ["matchExpressions", "matchFields"]
  if (lists.every((list) => listOf(before, list).length === 0)) return lists.every((list) => listOf(term, list).length === 0)
  return lists.every((list) => {
    const requirements = listOf(term, list)
    return listOf(before, list).every((requirement, index) => deepEqual(requirement, requirements[index]))
  })
}
