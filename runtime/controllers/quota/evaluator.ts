/** Quota usage of one kind that has more than object counts. */
import type { ResourceName } from "../../admission/plugin.ts"
import type { JsonObject } from "../../base/json.ts"
import type { Amounts } from "./amounts.ts"
import type { Traits } from "./scopes.ts"

/** The usage of one object. */
export interface Usage {
  readonly amounts: Amounts
  /** Absent: the object is in no scope. */
  readonly traits?: Traits
  /** For amounts that end without a change: when, and the amounts after that. */
  readonly ends?: { readonly atMs: number; readonly amounts: Amounts }
}

export interface Evaluator {
  readonly kind: ResourceName
  /** Whether a name in `spec.hard` counts objects of this kind. */
  counts(name: string): boolean
  /** Called for each existing object, and for each change. */
  usageOf(object: JsonObject): Usage
}
