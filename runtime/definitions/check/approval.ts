/**
 * Protected groups of the vendor's community: a definition in one needs an annotation that names the approval, or says
 * that there is none.
 */
import type { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject } from "../../base/json.ts"
import type { Vendor } from "../../base/vendor.ts"
import { parseRequestUrl } from "./go-url.ts"
import { text } from "./schema-props.ts"

export type ApprovalState = "invalid" | "approved" | "bypassed" | "missing"

export interface Approval {
  readonly state: ApprovalState
  /** The fault, or the content of the annotation; as in the definition's condition. */
  readonly reason: string
}

/** Whether a definition of this group needs the annotation. `group`: as on the wire. */
export function isProtectedGroup(group: string, vendor: Vendor): boolean {
  return [vendor.groupDomain, labelDomain(vendor)].some((domain) => group === domain || group.endsWith(`.${domain}`))
}

/** The domain of labels and annotations. */
function labelDomain(vendor: Vendor): string {
  return vendor.domain("orch.io/").slice(0, -1)
}

function annotationOf(vendor: Vendor): string {
  return `api-approved.${labelDomain(vendor)}`
}

/** Reads the approval annotation of a definition. */
export function approvalOf(definition: JsonObject, vendor: Vendor): Approval {
  const value = approvalText(definition, vendor)
  const must = `protected groups must have approval annotation "${annotationOf(vendor)}"`
  const see = `see https://github.com/${vendor.word}/enhancements/pull/1111`
  if (value === "") return { state: "missing", reason: `${must}, ${see}` }
  if (value.startsWith("unapproved")) return { state: "bypassed", reason: `not approved: ${JSON.stringify(value)}` }
  const url = parseRequestUrl(value)
  if (url !== undefined && url.host !== "" && url.scheme !== "") return { state: "approved", reason: `approved in ${value}` }
  return { state: "invalid", reason: `${must} with either a URL or a reason starting with "unapproved", ${see}` }
}

function approvalText(definition: JsonObject, vendor: Vendor): string {
  const annotations = isObject(definition.metadata) ? definition.metadata.annotations : undefined
  return isObject(annotations) ? text(annotations[annotationOf(vendor)]) : ""
}

/** Checks the annotation. Accepts an update that does not change its meaning. */
export function checkApproval(
  definition: JsonObject,
  group: string,
  { old, vendor }: { readonly old?: JsonObject | undefined; readonly vendor: Vendor },
  failures: Failures,
): void {
  if (!isProtectedGroup(group, vendor)) return
  const { state, reason } = approvalOf(definition, vendor)
  if (old !== undefined && approvalOf(old, vendor).state === state) return
  const field = `metadata.annotations[${annotationOf(vendor)}]`
  if (state === "missing") failures.add({ type: "Required", field, detail: reason })
  else if (state === "invalid") failures.add({ type: "Invalid", field, value: approvalText(definition, vendor), detail: reason })
}
