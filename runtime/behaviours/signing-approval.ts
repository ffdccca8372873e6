/**
 * PUT and PATCH of a request's `approval`: conditions are written and nothing else of spec and status (catalog
 * resources.yaml: certificatesigningrequests).
 */
import { defineSubresource } from "../schema/define.ts"
import type { CertificateSigningRequest } from "../../generated/certificates.orch.io/v1/certificate-signing-request/types.ts"

/** Sub-resource `signingApproval`. */
export const signingApproval = defineSubresource<CertificateSigningRequest>({
  update(submitted, old): CertificateSigningRequest {
    const { conditions: _before, ...status } = old.status
    const { conditions } = submitted.status
    return { ...submitted, spec: old.spec, status: { ...status, ...(conditions !== undefined && { conditions }) } }
  },
})
