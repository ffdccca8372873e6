/** What the quota of a namespace counts of one kind whose objects have more than their number. */
import type { ResourceName } from "../../admission/plugin.ts"
import type { JsonObject } from "../../base/json.ts"
import type { Amounts } from "./amounts.ts"
import type { Traits } from "./scopes.ts"

/** What one object uses. */
export interface Usage {
  readonly amounts: Amounts
  /** Absent: no scope has it. */
  readonly traits?: Traits
  /** Whose amounts end while nothing changes: when, and what is left then. */
  readonly ends?: { readonly atMs: number; readonly amounts: Amounts }
}

export interface Evaluator {
  readonly kind: ResourceName
  /** Whether a name in `spec.hard` is about objects of this kind. */
  counts(name: string): boolean
  /** Called for each object that is there, and for each change of one. */
  usageOf(object: JsonObject): Usage
}
