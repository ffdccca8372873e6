/**
 * The decision on a request for a certificate, and the certificate: which sub-resource may write which part, and which
 * parts stay once they are written (catalog validation.yaml: CertificateSigningRequest).
 */
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type {
  CertificateSigningRequestCondition,
  CertificateSigningRequestStatus,
} from "../../../generated/certificates.orch.io/v1/certificate-signing-request/types.ts"
import { approvals } from "../certificates/approvals.ts"
import { chainFault } from "../certificates/chain.ts"

/** Condition types that are present or absent, never False. */
const lasting = [...approvals, "Failed"]
const statuses = ["False", "True", "Unknown"]

type Context = CheckContext<CertificateSigningRequestStatus>

/** Called for each request. */
export const signingRequestStatus = defineCheck<CertificateSigningRequestStatus>((status, context) => {
  const { conditions = [] } = status
  const before = context.old?.conditions ?? []
  const repeated = repeatedTypes(before)
  const seen = new Set<string>()
  for (const [index, condition] of conditions.entries()) {
    const at = `conditions[${index}]`
    const { type } = condition
    checkStatus(condition, at, context)
    if (seen.has(type) && !repeated.has(type)) context.fail("Duplicate", type, "", `${at}.type`)
    const other = approvals.find((one) => one !== type)
    if (approvals.includes(type) && other !== undefined && seen.has(other))
      context.fail("Invalid", type, "Approved and Denied conditions are mutually exclusive", `${at}.type`)
    seen.add(type)
  }
  if (context.operation === "update") checkChanges(status, context)
})

function checkStatus({ type, status }: CertificateSigningRequestCondition, at: string, context: Context): void {
  const supported = lasting.includes(type) ? ["True"] : statuses
  if (status === "") context.fail("Required", undefined, "", `${at}.status`)
  else if (!supported.includes(status))
    context.failures.add({ type: "NotSupported", field: context.at(`${at}.status`), value: status, detail: "", supported })
}

function checkChanges(status: CertificateSigningRequestStatus, context: Context): void {
  const { conditions = [], certificate = "" } = status
  const { conditions: before = [], certificate: earlier = "" } = context.old ?? {}
  for (const type of lasting) {
    const added = count(conditions, type) - count(before, type)
    const text = JSON.stringify(type)
    if (added < 0) context.fail("Forbidden", undefined, `updates may not remove a condition of type ${text}`, "conditions")
    if (added > 0 && approvals.includes(type) && context.subresource !== "approval")
      context.fail("Forbidden", undefined, `updates may not add a condition of type ${text}`, "conditions")
  }
  if (certificate === earlier) return
  if (context.subresource !== "status") context.fail("Forbidden", undefined, "updates may not set certificate content", "certificate")
  else if (earlier !== "") context.fail("Forbidden", undefined, "updates may not modify existing certificate content", "certificate")
  const fault = certificate === "" ? undefined : chainFault(Buffer.from(certificate, "base64").toString("latin1"))
  if (fault !== undefined) context.fail("Invalid", "<certificate data>", fault, "certificate")
}

function repeatedTypes(conditions: readonly CertificateSigningRequestCondition[]): ReadonlySet<string> {
  const [seen, repeated] = [new Set<string>(), new Set<string>()]
  for (const { type } of conditions) (seen.has(type) ? repeated : seen).add(type)
  return repeated
}

function count(conditions: readonly CertificateSigningRequestCondition[], type: string): number {
  return conditions.filter((condition) => condition.type === type).length
}
