/** A patch that was read. */
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Stages } from "../base/turns.ts"

/** A patch made ready: read and checked once, applied once per attempt. */
export interface Patch {
  /** Undefined for an object that is to be made; only an applied configuration makes one. */
  apply(object: ApiObject | undefined): Stages<JsonObject>
  readonly strictErrors: readonly string[]
  /** Texts about unknown fields of the result, in the order in which they are told; absent: as they come. */
  readonly ordered?: (texts: readonly string[]) => string[]
}
