/** JSON Merge Patch, RFC 7386 (`application/merge-patch+json`). */
import { badRequest } from "../errors.ts"
import { ownField } from "../kit/field-path.ts"
import { setField } from "../kit/json-text.ts"
import { isObject } from "../kit/json.ts"
import type { JsonObject, JsonValue } from "../kit/json.ts"
import { expectManyFields, manyFields } from "../kit/many-fields.ts"

/**
 * The object after the patch; neither argument is changed, unchanged parts are shared. Called inside the update loop,
 * again for every attempt. Throws ApiError 400 when the patch is no object.
 */
export function applyMergePatch(object: JsonObject, patch: JsonValue): JsonObject {
  if (!isObject(patch)) throw badRequest("a merge patch must be a JSON object")
  return merge(object, patch)
}

/** Fields keep their places; new ones follow. Field by field: to copy a record and then change it costs many times more. */
function merge(current: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {}
  let fields = 0
  for (const name in current) {
    if (++fields === manyFields) expectManyFields(result)
    const before = current[name]
    const change = ownField(patch, name)
    const after = change === undefined ? before : changed(before, change)
    if (after !== undefined) setField(result, name, after)
  }
  for (const name in patch) {
    const change = patch[name]
    if (change === undefined || change === null || ownField(current, name) !== undefined) continue
    setField(result, name, withoutNulls(change))
  }
  return result
}

/** Undefined for a field that goes. */
function changed(before: JsonValue | undefined, change: JsonValue): JsonValue | undefined {
  if (change === null) return undefined
  if (!isObject(before)) return withoutNulls(change)
  return isObject(change) ? merge(before, change) : change
}

/** A value that is new as a whole has nothing to delete, so its nulls mean nothing; those in objects within lists too, as in the reference. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const result: JsonObject = {}
  const names = Object.keys(value)
  if (names.length >= manyFields) expectManyFields(result)
  for (const name of names) {
    const field = value[name]
    if (field !== undefined && field !== null) setField(result, name, withoutNulls(field))
  }
  return result
}
