/** JSON Merge Patch, RFC 7386 (`application/merge-patch+json`). */
import { badRequest } from "../base/errors.ts"
import { ownField } from "../encoding/field-path.ts"
import { setField } from "../encoding/json/text.ts"
import { isObject } from "../base/json.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { forceDictionaryMode, manyFields } from "../encoding/json/many-fields.ts"

/**
 * Applies a patch and returns the new object. Neither argument is changed; unchanged parts are shared. Called inside
 * the update loop, once per attempt. Throws ApiError 400 when the patch is not an object.
 */
export function applyMergePatch(object: JsonObject, patch: JsonValue): JsonObject {
  if (!isObject(patch)) throw badRequest("a merge patch must be a JSON object")
  return merge(object, patch)
}

/**
 * Fields keep their order; new ones follow. Copies field by field: copying a record and then changing it costs many
 * times more.
 */
function merge(current: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {}
  let fields = 0
  for (const name in current) {
    if (++fields === manyFields) forceDictionaryMode(result)
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

/** Returns undefined for a field to remove. */
function changed(before: JsonValue | undefined, change: JsonValue): JsonValue | undefined {
  if (change === null) return undefined
  if (!isObject(before)) return withoutNulls(change)
  return isObject(change) ? merge(before, change) : change
}

/**
 * Drops nulls from a value that is entirely new, since they have nothing to delete; also in objects within lists, as
 * the reference does.
 */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const result: JsonObject = {}
  const names = Object.keys(value)
  if (names.length >= manyFields) forceDictionaryMode(result)
  for (const name of names) {
    const field = value[name]
    if (field !== undefined && field !== null) setField(result, name, withoutNulls(field))
  }
  return result
}
