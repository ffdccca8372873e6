/** An autoscaler of autoscaling/v1 as v2 has it, for the rules and cells that both versions share. */
import type { Vendor } from "../../base/vendor.ts"
import { typed } from "../../schema/typed.ts"
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "../../../generated/autoscaling/v1/horizontal-pod-autoscaler/types.ts"
import type { HorizontalPodAutoscaler } from "../../../generated/autoscaling/v2/horizontal-pod-autoscaler/types.ts"
import { autoscalerAnnotations } from "../conversions/autoscaler-annotations.ts"

/** Converts without a commit. Pure. */
export function newerAutoscaler(autoscaler: HorizontalPodAutoscalerV1, vendor: Vendor): HorizontalPodAutoscaler {
  // Fields that the conversion does not set are the same in both versions.
  return autoscalerAnnotations.toStored(typed<HorizontalPodAutoscaler>(autoscaler), autoscaler, { vendor })
}
