/** The request in a CertificateSigningRequest (catalog validation.yaml: CertificateSigningRequest). */
import { defineCheck } from "../../schema/define.ts"
import type { CertificateSigningRequestSpec } from "../../../generated/certificates.orch.io/v1/certificate-signing-request/types.ts"
import { requestFault } from "../certificates/request.ts"

/** Shown for content that is no request: it may be the private key. */
const hidden = "<request contents redacted>"

/** Called for each request. It does not change later, and a signature is checked once. */
export const signingRequestContent = defineCheck<CertificateSigningRequestSpec>(({ request }, context) => {
  if (context.operation !== "create" || request === "") return
  const fault = requestFault(Buffer.from(request, "base64").toString("latin1"))
  if (fault !== undefined) context.fail("Invalid", hidden, fault, "request")
})
