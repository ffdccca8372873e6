/**
 * A write of an autoscaler changes its spec or its status, not both. In autoscaling/v1 annotations hold parts of both,
 * so that keeping fields of v1 is not enough: this runs on the form of v2.
 */
import { withAnnotations } from "./autoscalers/annotations.ts"
import { defineBehaviour } from "../schema/define.ts"
import type { HorizontalPodAutoscaler } from "../../generated/autoscaling/v2/horizontal-pod-autoscaler/types.ts"

/** Behaviour `autoscalerParts`. */
export const autoscalerParts = defineBehaviour<HorizontalPodAutoscaler>(({ vendor }) => ({
  decoded({ metadata }) {
    if (metadata.annotations === undefined) return
    // These annotations hold parts of the object in v1 alone; no other form has them.
    const annotations = withAnnotations(metadata.annotations, {}, vendor)
    if (annotations === undefined) delete metadata.annotations
    else metadata.annotations = annotations
  },
  prepareCreate(autoscaler) {
    autoscaler.status = { desiredReplicas: 0, currentMetrics: null }
  },
  prepareUpdate(autoscaler, old, { subresource }) {
    if (subresource === "status") autoscaler.spec = old.spec
    else autoscaler.status = old.status
  },
}))
