/**
 * An autoscaler of autoscaling/v1 has to be valid in v2, whose rules hold for both; failures have the paths of v2
 * (catalog validation.yaml: autoscaling/v1).
 */
import { defineCheck } from "../../schema/define.ts"
import { typed } from "../../schema/typed.ts"
import { CheckContext } from "../../schema/validate.ts"
import type { ApiObject } from "../../base/json.ts"
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "../../../generated/autoscaling/v1/horizontal-pod-autoscaler/types.ts"
import { validateHorizontalPodAutoscaler } from "../../../generated/autoscaling/v2/horizontal-pod-autoscaler/validate.ts"
import { newerAutoscaler } from "../autoscalers/newer.ts"

/** Called for each autoscaler that is written in v1. */
export const autoscalerStoredForm = defineCheck<HorizontalPodAutoscalerV1>((autoscaler, context) => {
  const { failures, vendor, old, subresource } = context
  const newer = (one: HorizontalPodAutoscalerV1): ApiObject => typed(newerAutoscaler(one, vendor))
  const object = newer(autoscaler)
  validateHorizontalPodAutoscaler(
    object,
    CheckContext.of(object, {
      failures,
      vendor,
      ...(old !== undefined && { old: newer(old) }),
      ...(subresource !== undefined && { subresource }),
    }),
  )
})
