/** Validation of definitions of kinds (catalog validation.yaml: CustomResourceDefinition). */
import type { CustomResourceDefinition } from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { checkDefinition, checkDefinitionStatus } from "../../definitions/check/index.ts"
import { defineCheck } from "../../schema/define.ts"

/** Called for each definition. */
export const definitionContent = defineCheck<CustomResourceDefinition>((definition, context) => {
  if (context.subresource === "status") checkDefinitionStatus(definition, context.failures)
  else
    checkDefinition(definition, context.failures, {
      ...(context.old !== undefined && { old: context.old }),
      vendor: context.vendor,
    })
})
