/** Validation of definitions of kinds (catalog validation.yaml: CustomResourceDefinition). */
import type { CustomResourceDefinition } from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { checkDefinitionStatus, checkingDefinition } from "../../definitions/check/index.ts"
import { objectMetaShape } from "../../../generated/meta/v1/object-meta/shape.ts"
import type { Failures } from "../../base/failure.ts"
import type { ObjectMeta } from "../../base/json.ts"
import { validateObjectMeta } from "../../registry/object-meta.ts"
import { defineCheck } from "../../schema/define.ts"

/** Checks the metadata of embedded resources in a default. */
const checkMetadata = (metadata: ObjectMeta, path: string, failures: Failures): void =>
  validateObjectMeta(metadata, { namespaced: (metadata.namespace ?? "") !== "", nameRule: "path-segment", failures, path })

/** Called for each definition. */
export const definitionContent = defineCheck<CustomResourceDefinition>((definition, context) => {
  if (context.subresource === "status") checkDefinitionStatus(definition, context.failures)
  else {
    const options = { vendor: context.vendor, metadata: { shape: objectMetaShape, check: checkMetadata } }
    context.inStages(
      checkingDefinition(definition, context.failures, { ...options, ...(context.old !== undefined && { old: context.old }) }),
    )
  }
})
