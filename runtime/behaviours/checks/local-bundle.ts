/** Certificates of an APIService (catalog validation.yaml: APIService). */
import type { APIServiceSpec } from "../../../generated/apiregistration.orch.io/v1/api-service/types.ts"
import { defineCheck } from "../../schema/define.ts"

/** Called for each APIService. The failure shows the length of the certificates, not their content. */
export const localBundle = defineCheck<APIServiceSpec>(({ service, caBundle = "" }, context) => {
  const length = Buffer.byteLength(caBundle, "base64")
  if (service === undefined && length > 0)
    context.fail("Invalid", `${length} bytes`, "local APIServices may not have a caBundle", "caBundle")
})
