import type { Audit } from "../audit/audit.ts"
import type { OperationStep } from "../http/env.ts"

/**
 * Begins the audit of a request, before any step can refuse it: a request that the deadline or authentication refuses
 * has an event of its own.
 */
export function auditBegin({ audit }: { audit: Pick<Audit, "begin"> }): OperationStep {
  return function auditBegin(request) {
    audit.begin(request)
    return undefined
  }
}

/**
 * Applies the policy to an authenticated request and stores its first event. Throws 500 when that fails and the mode is
 * strict. Runs before impersonation: rules see the authenticated user.
 */
export function audit(): OperationStep {
  return function audit(request) {
    return request.audit?.authenticated()
  }
}
