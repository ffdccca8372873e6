/**
 * Readers of JSON that has no generated type where it is read: the text of an annotation. A
 * value of another type reads as absent.
 */
import { isObject, type JsonObject, type JsonValue } from "./json.ts"

/** The object at a path of field names; undefined when any step is absent. */
export function objectAt(of: JsonValue | undefined, ...names: readonly string[]): JsonObject | undefined {
  let value = of
  for (const name of names) value = isObject(value) ? value[name] : undefined
  return isObject(value) ? value : undefined
}

/** The items of the list field `name`; none when it is absent. */
export function listOf(of: JsonValue | undefined, name: string): readonly JsonObject[] {
  const list = isObject(of) ? of[name] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}
