/** The form of the compared parts of an answer, and of the parts that a request adds to it. */
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"

/** The compared parts of one answer: everything but values that are different on each server and at each moment. */
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
  /** The text of an answer that is no JSON. */
  readonly text?: string | null
  /** The media type. */
  readonly type?: string
}

/** The parts of a large document by name. */
export type Parts = Readonly<Record<string, JsonValue>>

/** Further parts of an answer to compare, besides what is always compared. */
export interface FactOptions {
  /** Compares the managed fields. */
  readonly managed?: boolean
  /** Of a list, only the names of its items and its own fields. */
  readonly names?: boolean
  /** Takes a large document apart, to compare its parts one by one. */
  readonly split?: SplitRule
  /** The answer is a stream of events. */
  readonly watch?: boolean
  /** Compares the media type. */
  readonly type?: boolean
  /** Ignores the text of an answer that is no JSON. */
  readonly notext?: boolean
}

export type SplitRule = "items" | "openapi" | "resources" | "groups" | "paths" | "aggregated"
