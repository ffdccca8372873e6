/** JSON Merge Patch, RFC 7386 (`application/merge-patch+json`). */
import { badRequest } from "../errors.ts"
import { ownField } from "../kit/field-path.ts"
import { setField } from "../kit/json-text.ts"
import { isObject } from "../kit/json.ts"
import type { JsonObject, JsonValue } from "../kit/json.ts"

/**
 * The object after the patch; neither argument is changed, unchanged parts are shared. Called inside the update loop,
 * again for every attempt. Throws ApiError 400 when the patch is no object.
 */
export function applyMergePatch(object: JsonObject, patch: JsonValue): JsonObject {
  if (!isObject(patch)) throw badRequest("a merge patch must be a JSON object")
  return merge(object, patch)
}

function merge(current: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...current }
  for (const name of Object.keys(patch)) {
    const change = patch[name]
    if (change === undefined) continue
    const before = ownField(current, name)
    if (change === null) delete result[name]
    else if (isObject(before)) setField(result, name, isObject(change) ? merge(before, change) : change)
    else setField(result, name, withoutNulls(change))
  }
  return result
}

/** A value that is new as a whole has nothing to delete, so its nulls mean nothing; those in objects within lists too, as in the reference. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const name of Object.keys(value)) {
    const field = value[name]
    if (field !== undefined && field !== null) setField(result, name, withoutNulls(field))
  }
  return result
}
