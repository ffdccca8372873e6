/** The name of a signer (catalog validation.yaml: CertificateSigningRequest, ClusterTrustBundle). */
import { defineCheck } from "../../schema/define.ts"
import { signerNameFaults } from "../../schema/prefixed-names.ts"
import type { CertificateSigningRequestSpec } from "../../../generated/certificates.orch.io/v1/certificate-signing-request/types.ts"

/** Called for the spec of each request and of each bundle. The field itself reports that it is empty. */
export const signerName = defineCheck<Pick<CertificateSigningRequestSpec, "signerName">>((spec, context) => {
  if ((spec.signerName ?? "") === "") return
  for (const { type, value, detail } of signerNameFaults(spec.signerName)) context.fail(type, value, detail, "signerName")
})
