import { type ApiObject, isObject, type JsonValue, type ValidationContext } from "../../../../../runtime/schema/index.ts"

/** A function of warnings, as an author would write it. */
export function warn(spec: JsonValue | undefined, at: string, _kettle: ApiObject, _context: ValidationContext): string[] {
  return isObject(spec) && spec["colour"] === "black" ? [`${at}.colour: shows every fingerprint`] : []
}
