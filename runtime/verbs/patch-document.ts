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
  /** Nulls in the result are values, which a custom object may not have in every field. Default false. */
  readonly keepsNulls?: boolean
  readonly strictErrors: readonly string[]
  /** Sorts the texts about unknown fields of the result. Absent: they keep their order. */
  readonly ordered?: (texts: readonly string[]) => string[]
}
