/** Current and target values of an autoscaler's metrics (catalog tables.yaml: HorizontalPodAutoscaler). */
import { defineCell } from "../../schema/define.ts"
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "../../../generated/autoscaling/v2/horizontal-pod-autoscaler/types.ts"

const shownMax = 2
const unknown = "<unknown>"

/** Called for each row. */
export const autoscalerTargets = defineCell<HorizontalPodAutoscaler>((autoscaler) => ({ text: targetsText(autoscaler) }))

/** The cell: the first two metrics, and how many more there are. */
export function targetsText({ spec: { metrics = [] }, status }: HorizontalPodAutoscaler): string {
  if (metrics.length === 0) return "<none>"
  const current = status.currentMetrics ?? []
  const shown = metrics.slice(0, shownMax).map((metric, index) => metricText(metric, current[index]))
  const more = metrics.length - shown.length
  return `${shown.join(", ")}${more > 0 ? ` + ${more} more...` : ""}`
}

function metricText({ type, ...spec }: MetricSpec, status: MetricStatus | undefined): string {
  switch (type) {
    case "External":
      return valueText(spec.external?.target, status?.external?.current)
    case "Object":
      return valueText(spec.object?.target, status?.object?.current)
    case "Pods":
      return `${status?.pods?.current.averageValue ?? unknown}/${spec.pods?.target.averageValue ?? ""}`
    case "Resource":
      return useText(spec.resource, status?.resource?.current)
    case "ContainerResource":
      return useText(spec.containerResource, status?.containerResource?.current)
    default:
      return "<unknown type>"
  }
}

function valueText({ averageValue, value = "" }: Partial<MetricTarget> = {}, current: MetricValueStatus = {}): string {
  if (averageValue !== undefined) return `${current.averageValue ?? unknown}/${averageValue} (avg)`
  return `${current.value ?? unknown}/${value}`
}

function useText(source: { readonly name: string; readonly target: MetricTarget } | undefined, current: MetricValueStatus = {}): string {
  const { averageValue, averageUtilization } = source?.target ?? {}
  const name = source?.name ?? ""
  if (averageValue !== undefined) return `${name}: ${current.averageValue ?? unknown}/${averageValue}`
  const used = current.averageUtilization === undefined ? unknown : `${current.averageUtilization}%`
  return `${name}: ${used}/${averageUtilization === undefined ? "<auto>" : `${averageUtilization}%`}`
}
