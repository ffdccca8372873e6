/**
 * The annotations in which autoscaling/v1 holds parts that it has no fields for (catalog resources.yaml:
 * horizontalpodautoscalers). Each is JSON. A text that does not fit is dropped, as in the reference.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { Vendor } from "../../base/vendor.ts"
import { DecodeFault } from "../../encoding/json/decode-fault.ts"
import { stringify } from "../../encoding/json/text.ts"
import { normalize } from "../../encoding/normalize.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { typed } from "../../schema/typed.ts"
import {
  horizontalPodAutoscalerConditionShape,
  metricSpecShape,
  metricStatusShape,
} from "../../../generated/autoscaling/v1/shared/metrics/shape.ts"
import type { MetricSpec, MetricStatus } from "../../../generated/autoscaling/v1/shared/metrics/types.ts"
import { horizontalPodAutoscalerBehaviorShape } from "../../../generated/autoscaling/v2/horizontal-pod-autoscaler/shape.ts"
import type {
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
  HPAScalingRules,
} from "../../../generated/autoscaling/v2/horizontal-pod-autoscaler/types.ts"

/** Content of the annotations. A part without items is absent. */
export interface AnnotatedParts {
  readonly metrics?: readonly MetricSpec[]
  readonly behavior?: HorizontalPodAutoscalerBehavior
  readonly currentMetrics?: readonly MetricStatus[]
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[]
}

type Annotations = Readonly<Record<string, string>>

const names = { metrics: "metrics", behavior: "behavior", currentMetrics: "current-metrics", conditions: "conditions" } as const

function nameOf(part: keyof typeof names, vendor: Vendor): string {
  return annotationName(names[part], vendor)
}

function annotationName(name: string, vendor: Vendor): string {
  return vendor.domain(`autoscaling.alpha.orch.io/${name}`)
}

/** Reads the parts. Called with the annotations of an object in v1, which a client may have written by hand. */
export function readAnnotations(annotations: Annotations, vendor: Vendor): AnnotatedParts {
  const text = (part: keyof typeof names): string | undefined => annotations[nameOf(part, vendor)]
  const metrics = listIn<MetricSpec>(text("metrics"), metricSpecShape)
  const currentMetrics = listIn<MetricStatus>(text("currentMetrics"), metricStatusShape)
  const conditions = listIn<HorizontalPodAutoscalerCondition>(text("conditions"), horizontalPodAutoscalerConditionShape)
  const behavior = behaviorIn(text("behavior"))
  return {
    ...(metrics.length > 0 && { metrics }),
    ...(behavior !== undefined && { behavior }),
    ...(currentMetrics.length > 0 && { currentMetrics }),
    ...(conditions.length > 0 && { conditions }),
  }
}

/** The other annotations, with one for each part that is present. Undefined: there are none. */
export function withAnnotations(annotations: Annotations, parts: AnnotatedParts, vendor: Vendor): Record<string, string> | undefined {
  const own = new Set(Object.values(names).map((name) => annotationName(name, vendor)))
  const all = Object.fromEntries(Object.entries(annotations).filter(([name]) => !own.has(name)))
  const { metrics, behavior, currentMetrics, conditions } = parts
  if (metrics !== undefined) all[nameOf("metrics", vendor)] = listText(metrics, metricSpecShape)
  if (behavior !== undefined) all[nameOf("behavior", vendor)] = stringify(behaviorValue(behavior))
  if (currentMetrics !== undefined) all[nameOf("currentMetrics", vendor)] = listText(currentMetrics, metricStatusShape)
  if (conditions !== undefined) all[nameOf("conditions", vendor)] = listText(conditions, horizontalPodAutoscalerConditionShape)
  return Object.keys(all).length === 0 ? undefined : all
}

function listText(list: readonly object[], shape: TypeShape): string {
  return stringify(list.map((item) => normalize(shape, typed<JsonValue>(item), { typeMeta: false }).object))
}

function listIn<T extends object>(text: string | undefined, shape: TypeShape): readonly T[] {
  const value = parsed(text)
  return Array.isArray(value) ? (decoded(() => value.map((item) => typed<T>(partOf(shape, item)))) ?? []) : []
}

/** The reference writes the behaviour with capital letters, and reads names in any case. */
function behaviorIn(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  const value = parsed(text)
  if (!isObject(value)) return undefined
  const behavior = decoded(() => partOf(horizontalPodAutoscalerBehaviorShape, lowered(value, behaviorDepth)))
  return behavior === undefined || Object.keys(behavior).length === 0 ? undefined : typed<HorizontalPodAutoscalerBehavior>(behavior)
}

/** Levels of a behaviour: itself, its rules, their list of policies, and each policy. */
const behaviorDepth = 4

/** The names of fields with a small first letter, down to `depth` levels. Deeper ones are not part of a behaviour. */
function lowered(value: JsonValue, depth: number): JsonValue {
  if (depth === 0) return value
  if (Array.isArray(value)) return value.map((item) => lowered(item, depth - 1))
  if (!isObject(value)) return value
  const renamed = Object.entries(value).map(([name, one]) => [
    name.slice(0, 1).toLowerCase() + name.slice(1),
    lowered(one ?? null, depth - 1),
  ])
  return Object.fromEntries(renamed)
}

function behaviorValue({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): JsonObject {
  return { ScaleUp: rulesValue(scaleUp), ScaleDown: rulesValue(scaleDown) }
}

function rulesValue(rules: HPAScalingRules | undefined): JsonValue {
  if (rules === undefined) return null
  const { stabilizationWindowSeconds = null, selectPolicy = null, policies } = rules
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds,
    SelectPolicy: selectPolicy,
    Policies: policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ?? null,
  }
}

function partOf(shape: TypeShape, value: JsonValue): JsonObject {
  return normalize(shape, value, { typeMeta: false, reportUnknown: false }).object
}

function parsed(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Undefined for a value that does not fit its type. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch (error) {
    if (error instanceof DecodeFault) return undefined
    throw error
  }
}
