import type { JsonValue } from "../../runtime/base/json.ts"
import type { Result } from "../values/value.ts"

/** Makes an expression's value from JSON, or an error when the JSON does not fit the schema. */
export type Reader = (json: JsonValue) => Result

/** A field of an object: where its JSON is, and how it is read. */
export interface FieldReader {
  readonly property: string
  readonly read: Reader
}
