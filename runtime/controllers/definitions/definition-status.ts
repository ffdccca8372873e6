/** The status that the server gives to a definition: accepted names and conditions. Pure. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionStatus,
} from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import type { Vendor } from "../../base/vendor.ts"
import { type DefinitionCondition, isConditionTrue, withCondition } from "../../definitions/conditions.ts"
import { acceptNames, type TakenNames } from "./names.ts"

type Condition = Omit<DefinitionCondition, "lastTransitionTime">

/** Returns the next status of a definition; an equal one when nothing is to be changed. `now`: RFC 3339. */
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
  const violations = violationsOf(definition)
  if (violations !== undefined) set({ type: "NonStructuralSchema", status: "True", reason: "Violations", message: violations })
  else conditions = conditions.filter(({ type }) => type !== "NonStructuralSchema")
  return { ...definition.status, conditions: [...conditions], acceptedNames: names }
}

function namesCondition(conflict: { readonly reason: string; readonly message: string } | undefined): Condition {
  if (conflict !== undefined) return { type: "NamesAccepted", status: "False", ...conflict }
  return { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
}

/** A definition that was established once stays so. */
function establishedCondition(before: readonly DefinitionCondition[], isAccepted: boolean): Condition | undefined {
  if (isConditionTrue(before, "Established")) return undefined
  if (isAccepted)
    return { type: "Established", status: "True", reason: "InitialNamesAccepted", message: "the initial names have been accepted" }
  return { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
}

/** Definitions of the first versions of the API may still be in a store: they could keep unknown fields as a whole. */
function violationsOf({ spec }: CustomResourceDefinition): string | undefined {
  return spec.preserveUnknownFields === true ? "spec.preserveUnknownFields: Invalid value: true: must be false" : undefined
}

const approvalAnnotation = "api-approved.orch.io"

/** Groups of the vendor's own domains say in an annotation that they were reviewed. Undefined for all others. */
function approvalCondition({ spec, metadata }: CustomResourceDefinition, vendor: Vendor): Condition | undefined {
  const domains = [vendor.groupDomain, vendor.domain("orch.io/").slice(0, -1)]
  if (!domains.some((domain) => spec.group === domain || spec.group.endsWith(`.${domain}`))) return undefined
  const annotation = vendor.domain(`${approvalAnnotation}/`).slice(0, -1)
  const text = metadata.annotations?.[annotation] ?? ""
  const type = "KubernetesAPIApprovalPolicyConformant"
  if (text === "") {
    const message = `protected groups must have approval annotation ${JSON.stringify(annotation)}`
    return { type, status: "False", reason: "MissingAnnotation", message }
  }
  if (text.startsWith("unapproved")) return { type, status: "False", reason: "UnapprovedAnnotation", message: `not approved: ${JSON.stringify(text)}` }
  if (isUrl(text)) return { type, status: "True", reason: "ApprovedAnnotation", message: `approved in ${text}` }
  const message = `protected groups must have approval annotation ${JSON.stringify(annotation)} with either a URL or a reason starting with "unapproved"`
  return { type, status: "False", reason: "InvalidAnnotation", message }
}

function isUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).host !== ""
}
