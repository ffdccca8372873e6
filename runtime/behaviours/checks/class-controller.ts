/** The controller of an ingress class (catalog validation.yaml: IngressClass). */
import { defineCheck } from "../../schema/define.ts"
import { domainPrefixedPathFaults } from "../../schema/prefixed-names.ts"
import type { IngressClassSpec } from "../../../generated/networking.orch.io/v1/ingress-class/types.ts"

/** Called for the spec of each ingress class. The field itself reports that it is empty. */
export const classController = defineCheck<IngressClassSpec>(({ controller = "" }, context) => {
  if (controller === "") return
  for (const { type, value, detail } of domainPrefixedPathFaults(controller)) context.fail(type, value, detail, "controller")
})
