/**
 * The choice of nodes of a pod with scheduling gates may become narrower, never wider (catalog validation.yaml: Pod,
 * update, `spec.nodeSelector` and `spec.affinity.nodeAffinity`).
 */
import { deepEqual } from "../../encoding/field-path.ts"
import type { NodeSelectorTerm } from "../../../generated/core/v1/shared/affinity/types.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { CheckContext } from "../../schema/validate.ts"

const required = "requiredDuringSchedulingIgnoredDuringExecution"

/** Called with the new and the stored spec of a gated pod. */
export function checkNarrowed(spec: PodSpec, old: PodSpec, context: CheckContext<unknown>): void {
  const [{ nodeSelector: selector = {} }, { nodeSelector: selectorBefore = {} }] = [spec, old]
  if (Object.entries(selectorBefore).some(([label, value]) => selector[label] !== value)) {
    context.fail("Invalid", selector, "only additions to spec.nodeSelector are allowed (no mutations or deletions)", "spec.nodeSelector")
  }
  const before = old.affinity?.nodeAffinity?.[required]
  if (before === undefined) return
  const at = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`
  const terms = spec.affinity?.nodeAffinity?.[required]?.nodeSelectorTerms ?? []
  // The required list is null in a pod that another program stored without it.
  const termsBefore = before.nodeSelectorTerms ?? []
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
function extendsTerm(term: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const lists = ["matchExpressions", "matchFields"] as const
  if (lists.every((list) => (before[list] ?? []).length === 0)) return lists.every((list) => (term[list] ?? []).length === 0)
  return lists.every((list) => {
    const requirements = term[list] ?? []
    return (before[list] ?? []).every((requirement, index) => deepEqual(requirement, requirements[index]))
  })
}
