/**
 * The metrics of autoscaling/v2 in the form of v1, whose annotations hold them, and back. In v1 a target is spread over
 * fields and has no type; it follows from the fields that are set.
 */
import type * as older from "../../../generated/autoscaling/v1/shared/metrics/types.ts"
import type * as newer from "../../../generated/autoscaling/v2/horizontal-pod-autoscaler/types.ts"

type Selected = Pick<newer.MetricIdentifier, "selector">

function selected(selector: Selected["selector"]): Selected {
  return selector === undefined ? {} : { selector }
}

/** How v1 writes an absent Quantity; it reads this text as absent. */
const none = "0"

/** Returns the fields that are present. */
function some<T extends object>(fields: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  // Absent fields were filtered out.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

/** Converts one item of `spec.metrics` to v1. */
export function olderMetric({ type, object, pods, resource, containerResource, external }: newer.MetricSpec): older.MetricSpec {
  return {
    type,
    ...(object && {
      object: {
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? none,
        ...selected(object.metric.selector),
        ...some({ averageValue: object.target.averageValue }),
      },
    }),
    ...(pods && {
      pods: { metricName: pods.metric.name, targetAverageValue: pods.target.averageValue ?? none, ...selected(pods.metric.selector) },
    }),
    ...(resource && { resource: { name: resource.name, ...olderUse(resource.target) } }),
    ...(containerResource && {
      containerResource: { name: containerResource.name, ...olderUse(containerResource.target), container: containerResource.container },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        ...some({
          metricSelector: external.metric.selector,
          targetValue: external.target.value,
          targetAverageValue: external.target.averageValue,
        }),
      },
    }),
  }
}

function olderUse({ averageUtilization, averageValue }: newer.MetricTarget): Partial<older.ResourceMetricSource> {
  return some({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue })
}

/** Converts one metric of an annotation to v2. */
export function newerMetric({ type, object, pods, resource, containerResource, external }: older.MetricSpec): newer.MetricSpec {
  return {
    // A word that is no type is reported by validation.
    type: type as newer.MetricSpec["type"],
    ...(object && {
      object: {
        describedObject: object.target,
        target: valueTarget(object.targetValue === none ? undefined : object.targetValue, object.averageValue),
        metric: { name: object.metricName, ...selected(object.selector) },
      },
    }),
    ...(pods && {
      pods: {
        metric: { name: pods.metricName, ...selected(pods.selector) },
        target: { type: "AverageValue", averageValue: pods.targetAverageValue },
      },
    }),
    ...(resource && { resource: { name: resource.name, target: useTarget(resource) } }),
    ...(containerResource && {
      containerResource: { name: containerResource.name, target: useTarget(containerResource), container: containerResource.container },
    }),
    ...(external && {
      external: {
        metric: { name: external.metricName, ...selected(external.metricSelector) },
        target: valueTarget(external.targetValue, external.targetAverageValue),
      },
    }),
  }
}

function valueTarget(value: string | undefined, averageValue: string | undefined): newer.MetricTarget {
  return { type: averageValue === undefined ? "Value" : "AverageValue", ...some({ value, averageValue }) }
}

function useTarget({ targetAverageUtilization, targetAverageValue }: Partial<older.ResourceMetricSource>): newer.MetricTarget {
  return {
    type: targetAverageUtilization === undefined ? "AverageValue" : "Utilization",
    ...some({ averageValue: targetAverageValue, averageUtilization: targetAverageUtilization }),
  }
}

/** Converts one item of `status.currentMetrics` to v1. */
export function olderStatus({ type, object, pods, resource, containerResource, external }: newer.MetricStatus): older.MetricStatus {
  return {
    type,
    ...(object && {
      object: {
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? none,
        ...selected(object.metric.selector),
        ...some({ averageValue: object.current.averageValue }),
      },
    }),
    ...(pods && {
      pods: { metricName: pods.metric.name, currentAverageValue: pods.current.averageValue ?? none, ...selected(pods.metric.selector) },
    }),
    ...(resource && { resource: { name: resource.name, ...olderUsed(resource.current) } }),
    ...(containerResource && {
      containerResource: { name: containerResource.name, ...olderUsed(containerResource.current), container: containerResource.container },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        currentValue: external.current.value ?? none,
        ...some({ metricSelector: external.metric.selector, currentAverageValue: external.current.averageValue }),
      },
    }),
  }
}

function olderUsed({
  averageUtilization,
  averageValue = none,
}: newer.MetricValueStatus): Pick<older.ResourceMetricStatus, "currentAverageUtilization" | "currentAverageValue"> {
  return { ...some({ currentAverageUtilization: averageUtilization }), currentAverageValue: averageValue }
}

/** Converts one status of an annotation to v2. */
export function newerStatus({ type, object, pods, resource, containerResource, external }: older.MetricStatus): newer.MetricStatus {
  return {
    type,
    ...(object && {
      object: {
        metric: { name: object.metricName, ...selected(object.selector) },
        current: { value: object.currentValue, ...some({ averageValue: object.averageValue }) },
        describedObject: object.target,
      },
    }),
    ...(pods && {
      pods: { metric: { name: pods.metricName, ...selected(pods.selector) }, current: { averageValue: pods.currentAverageValue } },
    }),
    ...(resource && { resource: { name: resource.name, current: newerUsed(resource) } }),
    ...(containerResource && {
      containerResource: { name: containerResource.name, current: newerUsed(containerResource), container: containerResource.container },
    }),
    ...(external && {
      external: {
        metric: { name: external.metricName, ...selected(external.metricSelector) },
        current: { value: external.currentValue, ...some({ averageValue: external.currentAverageValue }) },
      },
    }),
  }
}

function newerUsed({
  currentAverageUtilization,
  currentAverageValue,
}: Pick<older.ResourceMetricStatus, "currentAverageUtilization" | "currentAverageValue">): newer.MetricValueStatus {
  return { averageValue: currentAverageValue, ...some({ averageUtilization: currentAverageUtilization }) }
}
