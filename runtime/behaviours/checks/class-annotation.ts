/** The class of an ingress, which older clients state in an annotation (catalog validation.yaml: Ingress). */
import { defineCheck } from "../../schema/define.ts"
import type { Ingress } from "../../../generated/networking.orch.io/v1/ingress/types.ts"

/** Called for each ingress. A new one that states its class twice must state the same class. */
export const classAnnotation = defineCheck<Ingress>(({ metadata, spec: { ingressClassName } }, context) => {
  if (context.operation !== "create" || ingressClassName === undefined) return
  const name = context.vendor.domain("orch.io/ingress.class")
  const stated = metadata.annotations?.[name]
  if (stated === undefined || stated === ingressClassName) return
  context.fail("Invalid", stated, "must match `ingressClassName` when both are specified", `annotations.${name}`)
})
