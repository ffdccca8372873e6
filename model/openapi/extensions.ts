/** Extensions, for facts that OpenAPI has no keyword for. Names are neutral; the runtime maps the prefix. */
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import type { FieldModel } from "../model.ts"

/** The beginning of the name of every extension. */
export const extension = "x-orch-"

/**
 * Returns the extensions of a field: how its value is merged and owned and, with its limits, that it never changes.
 * Rules of the dialect are not published, because the expressions of `validations` are CEL.
 */
export function fieldExtensions(field: FieldModel, limited: boolean): JsonObject {
  const { immutable, listType, mapKeys, mapType, structType, patch, mergeKey } = field
  const facts: { readonly [name: string]: JsonValue | undefined } = {
    "list-map-keys": mapKeys === undefined ? undefined : [...mapKeys],
    "list-type": listType,
    "map-type": mapType ?? structType,
    "patch-merge-key": mergeKey,
    "patch-strategy": patch?.join(","),
    validations: limited && immutable === true ? [{ rule: "self == oldSelf", message: "field is immutable" }] : undefined,
  }
  return Object.fromEntries(Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[extension + name, value]])))
}
