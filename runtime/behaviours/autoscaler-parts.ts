/**
 * A write of an autoscaler changes its spec or its status, not both. In autoscaling/v1 annotations hold parts of
 * either, so that what v1 keeps is not enough: this runs on the form of v2.
 */
import { defineBehaviour } from "../schema/define.ts"
import type { HorizontalPodAutoscaler } from "../../generated/autoscaling/v2/horizontal-pod-autoscaler/types.ts"

/** Behaviour `autoscalerParts`. */
export const autoscalerParts = defineBehaviour<HorizontalPodAutoscaler>({
  prepareCreate(autoscaler) {
    autoscaler.status = { desiredReplicas: 0, currentMetrics: null }
  },
  prepareUpdate(autoscaler, old, { subresource }) {
    if (subresource === "status") autoscaler.spec = old.spec
    else autoscaler.status = old.status
  },
})
