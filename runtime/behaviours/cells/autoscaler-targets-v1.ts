/** The targets of an autoscaler in autoscaling/v1, from its form in v2. */
import { defineCell } from "../../schema/define.ts"
import type { HorizontalPodAutoscaler } from "../../../generated/autoscaling/v1/horizontal-pod-autoscaler/types.ts"
import { newerAutoscaler } from "../autoscalers/newer.ts"
import { targetsText } from "./autoscaler-targets.ts"

/** Called for each row. */
export const autoscalerTargetsV1 = defineCell<HorizontalPodAutoscaler>((autoscaler, { vendor }) => ({
  text: targetsText(newerAutoscaler(autoscaler, vendor)),
}))
