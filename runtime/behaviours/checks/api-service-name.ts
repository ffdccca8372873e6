/** The name of an APIService says which version of which group it is (catalog validation.yaml: APIService). */
import { defineCheck } from "../../schema/define.ts"
import { checkFormat } from "../../schema/formats.ts"
import type { APIService } from "../../../generated/apiregistration.orch.io/v1/api-service/types.ts"

/**
 * Called for each APIService; a write of its status may have any `generateName`. Otherwise `generateName` must be valid
 * as the name itself: an APIService cannot have a generated name.
 */
export const apiServiceName = defineCheck<APIService>(({ metadata, spec }, context) => {
  if (context.subresource !== undefined) return
  const wanted = `${spec?.version ?? ""}.${spec?.group ?? ""}`
  for (const field of ["generateName", "name"] as const) {
    const name = metadata[field] ?? ""
    if (name === "" || name === wanted || checkFormat("path-segment", name) !== undefined) continue
    context.fail("Invalid", name, `must be \`spec.version+"."+spec.group\`: "${wanted}"`, `metadata.${field}`)
  }
})
