/**
 * HorizontalPodAutoscaler of autoscaling/v1, to v2 and back. v1 has fields for the CPU; everything else is in
 * annotations (`autoscalers/annotations.ts`), which v2 does not have.
 */
import { defineConversion } from "../../schema/define.ts"
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "../../../generated/autoscaling/v1/horizontal-pod-autoscaler/types.ts"
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
} from "../../../generated/autoscaling/v2/horizontal-pod-autoscaler/types.ts"
import { type AnnotatedParts, readAnnotations, withAnnotations } from "../autoscalers/annotations.ts"
import { newerMetric, newerStatus, olderMetric, olderStatus } from "../autoscalers/metrics.ts"

/** An autoscaler without any metric holds the CPU at this many percent. */
const defaultCpuPercent = 80

/** Conversion `autoscalerAnnotations`. */
export const autoscalerAnnotations = defineConversion<HorizontalPodAutoscalerV1, HorizontalPodAutoscaler>({
  toStored(converted, { metadata, spec, status }, { vendor }): HorizontalPodAutoscaler {
    const parts = readAnnotations(metadata.annotations ?? {}, vendor)
    const { targetCPUUtilizationPercentage: percent, ...bounds } = spec
    const { currentCPUUtilizationPercentage: used, ...seen } = status
    const { behavior, conditions } = parts
    return {
      ...converted,
      metadata: annotated(metadata, withAnnotations(metadata.annotations ?? {}, {}, vendor)),
      spec: { ...bounds, metrics: metricsOf(parts, percent), ...(behavior !== undefined && { behavior }) },
      status: {
        ...seen,
        currentMetrics: parts.currentMetrics?.map(newerStatus) ?? (used === undefined ? null : [cpuStatus(used)]),
        ...(conditions !== undefined && { conditions: [...conditions] }),
      },
    }
  },
  fromStored(converted, { metadata, spec, status }, { vendor }): HorizontalPodAutoscalerV1 {
    const { metrics = [], behavior, ...bounds } = spec
    const { currentMetrics, conditions = [], currentReplicas = 0, ...seen } = status
    const others = metrics.filter((metric) => cpuPercent(metric) === undefined)
    const percent = metrics.map(cpuPercent).find((found) => found !== undefined)
    const used = (currentMetrics ?? []).map(cpuUsed).find((found) => found !== undefined)
    const parts: AnnotatedParts = {
      ...(others.length > 0 && { metrics: others.map(olderMetric) }),
      ...(behavior !== undefined && { behavior }),
      ...((currentMetrics ?? []).length > 0 && { currentMetrics: (currentMetrics ?? []).map(olderStatus) }),
      ...(conditions.length > 0 && { conditions }),
    }
    return {
      ...converted,
      metadata: annotated(metadata, withAnnotations(metadata.annotations ?? {}, parts, vendor)),
      spec: { ...bounds, ...(percent !== undefined && { targetCPUUtilizationPercentage: percent }) },
      status: { ...seen, currentReplicas, ...(used !== undefined && { currentCPUUtilizationPercentage: used }) },
    }
  },
})

type Metadata = HorizontalPodAutoscaler["metadata"]

function annotated({ annotations: _before, ...metadata }: Metadata, annotations: Record<string, string> | undefined): Metadata {
  return annotations === undefined ? metadata : { ...metadata, annotations }
}

/** The metrics of annotations, then the metric of the field, as in the reference. */
function metricsOf({ metrics = [] }: AnnotatedParts, percent: number | undefined): MetricSpec[] {
  const others = metrics.map(newerMetric)
  if (percent !== undefined) return [...others, cpuMetric(percent)]
  return others.length === 0 ? [cpuMetric(defaultCpuPercent)] : others
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } }
}

function cpuStatus(averageUtilization: number): MetricStatus {
  return { type: "Resource", resource: { name: "cpu", current: { averageUtilization } } }
}

/** The value of the field of v1 for a metric; undefined for a metric that needs an annotation. */
function cpuPercent({ type, resource }: MetricSpec): number | undefined {
  return type === "Resource" && resource?.name === "cpu" ? resource.target.averageUtilization : undefined
}

function cpuUsed({ type, resource }: MetricStatus): number | undefined {
  return type === "Resource" && resource?.name === "cpu" ? resource.current.averageUtilization : undefined
}
