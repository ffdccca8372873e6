/** Reads the objects that determine where a request goes. */
import { isObject, type ApiObject, type JsonObject, type JsonValue } from "../base/json.ts"

/** Returns the newest state of a core object. Throws 404. */
export type ObjectReader = (resource: "endpoints" | "nodes" | "pods" | "services", name: string, namespace: string) => Promise<ApiObject>

/** The object in field `name`; undefined when it is absent. */
export function objectIn(of: JsonValue | undefined, name: string): JsonObject | undefined {
  const value = isObject(of) ? of[name] : undefined
  return isObject(value) ? value : undefined
}

/** The items of the list field `name`. */
export function listIn(of: JsonValue | undefined, name: string): readonly JsonObject[] {
  const list = isObject(of) ? of[name] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** The text in field `name`; "" when it is absent. */
export function textIn(of: JsonValue | undefined, name: string): string {
  const value = isObject(of) ? of[name] : undefined
  return typeof value === "string" ? value : ""
}

/** The number in field `name`; 0 when it is absent. */
export function numberIn(of: JsonValue | undefined, name: string): number {
  const value = isObject(of) ? of[name] : undefined
  return typeof value === "number" ? value : 0
}
