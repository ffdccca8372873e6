/** The interface of a parsed patch. */
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Stages } from "../base/turns.ts"

/** A patch that was parsed and checked once, and is applied once per attempt. */
export interface Patch {
  /**
   * Applies the patch. `object` is undefined for a creation, which only a server-side apply can do. `isLarge`: the
   * object or the patch is large; default false.
   */
  apply(object: ApiObject | undefined, isLarge?: boolean): Stages<JsonObject>
  /**
   * A server-side apply, which has checked the configuration's fields itself. In a custom object its nulls are left to
   * the validator, and fields that are pruned nevertheless are not reported. Default false.
   */
  readonly isApplied?: boolean
  readonly strictErrors: readonly string[]
  /** A strategic merge patch, for which the reference words faults of the result otherwise. Default false. */
  readonly isStrategic?: boolean
  /** Sorts the texts about unknown fields of the result. Absent: they keep their order. */
  readonly ordered?: (texts: readonly string[]) => string[]
}
