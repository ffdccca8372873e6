/** The form of what is compared of an answer, and of what a request adds to it. */
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"

/** What is compared of one answer: everything but values that are different on each server and at each moment. */
export interface Facts {
  readonly code: number
  readonly warnings?: readonly string[]
  /** Of a Status: reason, message, details and status. */
  readonly status?: JsonObject
  readonly object?: JsonValue
  readonly table?: { readonly columns: readonly JsonValue[]; readonly rows?: readonly JsonValue[] }
  /** Names of the items of a list, and its other fields. */
  readonly names?: readonly string[]
  readonly list?: JsonValue
  readonly split?: Parts
  readonly events?: readonly JsonValue[] | number
  /** Of an answer that is no JSON. */
  readonly text?: string | null
  /** The media type. */
  readonly type?: string
}

/** The parts of a large document by name. */
export type Parts = Readonly<Record<string, JsonValue>>

/** What to compare of an answer, besides what is always compared. */
export interface FactOptions {
  /** The managed fields. */
  readonly managed?: boolean
  /** Of a list, only the names of its items and its own fields. */
  readonly names?: boolean
  /** A large document, whose parts are compared one by one. */
  readonly split?: SplitRule
  /** The answer is a stream of events. */
  readonly watch?: boolean
  /** The media type. */
  readonly type?: boolean
  /** Not the text of an answer that is no JSON. */
  readonly notext?: boolean
}

export type SplitRule = "items" | "openapi" | "resources" | "groups" | "paths" | "aggregated"
