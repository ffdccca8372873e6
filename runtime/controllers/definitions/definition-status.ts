/** Computes the status of a definition: accepted names and conditions. Pure. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionStatus,
} from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import type { Vendor } from "../../base/vendor.ts"
import { type DefinitionCondition, isConditionTrue, withCondition } from "../../definitions/conditions.ts"
import { approvalOf, isProtectedGroup, nonStructuralOf } from "../../definitions/check/index.ts"
import { typed } from "../../schema/typed.ts"
import { acceptNames, type TakenNames } from "./names.ts"

type Condition = Omit<DefinitionCondition, "lastTransitionTime">

/** Returns the next status of a definition; an equal one when there is no change. `now`: RFC 3339. */
export function nextStatus(
  definition: CustomResourceDefinition,
  { taken, now, vendor }: { readonly taken: TakenNames; readonly now: string; readonly vendor: Vendor },
): CustomResourceDefinitionStatus {
  const { names, conflict } = acceptNames(definition, taken)
  let conditions: readonly DefinitionCondition[] = definition.status.conditions ?? []
  const set = (condition: Condition): void => {
    conditions = withCondition(conditions, condition, now)
  }
  set(namesCondition(conflict))
  const established = establishedCondition(conditions, conflict === undefined)
  if (established !== undefined) set(established)
  const approval = approvalCondition(definition, vendor)
  if (approval !== undefined) set(approval)
  const violations = nonStructuralOf(definition, vendor.extensionPrefix)
  if (violations !== undefined) set({ type: "NonStructuralSchema", status: "True", ...violations })
  else conditions = conditions.filter(({ type }) => type !== "NonStructuralSchema")
  return { ...definition.status, conditions: [...conditions], acceptedNames: names }
}

function namesCondition(conflict: { readonly reason: string; readonly message: string } | undefined): Condition {
  if (conflict !== undefined) return { type: "NamesAccepted", status: "False", ...conflict }
  return { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
}

/** An established definition stays established. */
function establishedCondition(before: readonly DefinitionCondition[], isAccepted: boolean): Condition | undefined {
  if (isConditionTrue(before, "Established")) return undefined
  if (isAccepted)
    return { type: "Established", status: "True", reason: "InitialNamesAccepted", message: "the initial names have been accepted" }
  return { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
}

/**
 * Groups of the vendor's own domains need an annotation that says that they were reviewed. Undefined for all others.
 */
function approvalCondition(definition: CustomResourceDefinition, vendor: Vendor): Condition | undefined {
  if (!isProtectedGroup(definition.spec.group, vendor)) return undefined
  const { state, reason: message } = approvalOf(typed(definition), vendor)
  const { status, reason } = approvalConditions[state]
  return { type: "KubernetesAPIApprovalPolicyConformant", status, reason, message }
}

const approvalConditions = {
  approved: { status: "True", reason: "ApprovedAnnotation" },
  bypassed: { status: "False", reason: "UnapprovedAnnotation" },
  invalid: { status: "False", reason: "InvalidAnnotation" },
  missing: { status: "False", reason: "MissingAnnotation" },
} as const
