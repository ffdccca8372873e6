/**
 * The paths of a definition's scale sub-resource: the fields for replicas and label selector, and their checks. Rules
 * are as in apiextensions-apiserver (pkg/registry/customresource/validator.go and etcd.go).
 */
import type { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { cut } from "../../base/quote.ts"
import { ownField } from "../../encoding/field-path.ts"
import { goPlain, goType } from "../../base/go-text.ts"
import { isInt64 } from "./numbers.ts"

/** As in the definition, with a leading dot. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** The value at a path. `fault`: the value or a container on the way has a wrong type. */
export interface Found<T> {
  readonly value: T | undefined
  readonly fault?: string
}

const int32Max = 2 ** 31 - 1

/** The scale paths of a version's stored `subresources.scale`; undefined when there are none. */
export function scalePathsOf(scale: JsonValue | undefined): ScalePaths | undefined {
  if (!isObject(scale)) return undefined
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale
  if (typeof specReplicasPath !== "string" || typeof statusReplicasPath !== "string") return undefined
  return { specReplicasPath, statusReplicasPath, ...(typeof labelSelectorPath === "string" && { labelSelectorPath }) }
}

/** The field names of a scale path, which contains no lists. */
export function scaleSteps(path: string): string[] {
  return (path.startsWith(".") ? path.slice(1) : path).split(".")
}

/** The integer at a path; absent reads as undefined. */
export function replicasAt(object: JsonObject, path: string): Found<number | bigint> {
  const found = valueAt(object, path)
  const { value } = found
  if (value === undefined) return { value: undefined, ...(found.fault !== undefined && { fault: found.fault }) }
  if ((typeof value === "number" || typeof value === "bigint") && isInt64(value)) return { value }
  return { value: undefined, fault: accessorFault(scaleSteps(path), value, "int64") }
}

/** The text at a path; absent reads as undefined. */
export function selectorAt(object: JsonObject, path: string): Found<string> {
  const found = valueAt(object, path)
  const { value } = found
  if (value === undefined) return { value: undefined, ...(found.fault !== undefined && { fault: found.fault }) }
  return typeof value === "string" ? { value } : { value: undefined, fault: accessorFault(scaleSteps(path), value, "string") }
}

function valueAt(object: JsonObject, path: string): Found<JsonValue> {
  const steps = scaleSteps(path)
  let value: JsonValue = object
  for (const [index, step] of steps.entries()) {
    if (value === null) return { value: undefined }
    if (!isObject(value)) return { value: undefined, fault: accessorFault(steps.slice(0, index + 1), value, "map[string]interface{}") }
    const next = ownField(value, step)
    if (next === undefined) return { value: undefined }
    value = next
  }
  return { value }
}

function accessorFault(steps: readonly string[], value: JsonValue, expected: string): string {
  return `.${steps.join(".")} accessor error: ${cut(goPlain(value))} is of the type ${goType(value)}, expected ${expected}`
}

/** Adds the failures of the replicas in the main resource's spec. */
export function checkScaleSpec(object: JsonObject, { specReplicasPath }: ScalePaths, failures: Failures): void {
  checkReplicas(object, specReplicasPath, failures)
}

/** Adds the failures of replicas and selector in the status. */
export function checkScaleStatus(object: JsonObject, { statusReplicasPath, labelSelectorPath }: ScalePaths, failures: Failures): void {
  checkReplicas(object, statusReplicasPath, failures)
  if (labelSelectorPath === undefined) return
  const { fault } = selectorAt(object, labelSelectorPath)
  if (fault !== undefined) failures.add({ type: "Invalid", field: labelSelectorPath, value: "", detail: fault })
}

function checkReplicas(object: JsonObject, path: string, failures: Failures): void {
  const { value = 0, fault } = replicasAt(object, path)
  const detail =
    fault ?? (value < 0 ? "should be a non-negative integer" : value > int32Max ? `should be less than or equal to ${int32Max}` : undefined)
  if (detail !== undefined) failures.add({ type: "Invalid", field: path, value, shown: String(value), detail })
}
