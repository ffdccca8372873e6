/** The object behind a backend of an Ingress that is not a service (catalog validation.yaml: Ingress). */
import { formatFaults } from "../../schema/formats.ts"
import { defineCheck } from "../../schema/define.ts"
import type { IngressBackend } from "../../../generated/networking.orch.io/v1/ingress/types.ts"

/** Called for each backend. A group that is stated may not be empty, unlike in a claim's data source. */
export const ingressResource = defineCheck<IngressBackend>(({ resource, service }, context) => {
  if (resource === undefined || service !== undefined) return
  const { apiGroup } = resource
  if (typeof apiGroup === "string")
    for (const fault of formatFaults("dns-subdomain", apiGroup)) context.fail("Invalid", apiGroup, fault, "resource.apiGroup")
  for (const part of ["kind", "name"] as const) {
    const value = resource[part] ?? ""
    if (value === "") context.fail("Required", undefined, `${part} is required`, `resource.${part}`)
    else for (const fault of formatFaults("path-segment", value)) context.fail("Invalid", value, fault, `resource.${part}`)
  }
})
