/** The column Available of an APIService (catalog tables.yaml). */
import type { APIService } from "../../../generated/apiregistration.orch.io/v1/api-service/types.ts"
import { defineCell } from "../../schema/define.ts"

/** Called for each row. */
export const apiServiceAvailable = defineCell<APIService>(({ status }) => {
  const found = status.conditions?.find(({ type }) => type === "Available")
  if (found === undefined) return "Unknown"
  const { status: shown, reason = "" } = found
  return shown === "True" || reason === "" ? shown : `${shown} (${reason})`
})
