/** The name that a service is an alias for (catalog validation.yaml: Service): it may end in a dot. */
import { dnsSubdomainFaults } from "../../schema/names.ts"
import { defineCheck } from "../../schema/define.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"

/** Called for each service spec. */
export const serviceExternalName = defineCheck<ServiceSpec>(({ externalName = "", type }, context) => {
  if (type !== "ExternalName" || externalName === "") return
  const name = externalName.endsWith(".") ? externalName.slice(0, -1) : externalName
  for (const fault of dnsSubdomainFaults(name)) context.fail("Invalid", externalName, fault, "externalName")
})
