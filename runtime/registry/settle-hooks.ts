import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Pace } from "../base/pace.ts"
import { DecodeFault } from "../encoding/json/decode-fault.ts"
import { normalizing } from "../encoding/normalize.ts"
import type { KindHandle } from "./registry.ts"

/**
 * Brings values that an author's hooks wrote into canonical form, so that they are the same before and after a restart:
 * `1h` becomes `1h0m0s`, and a time loses its milliseconds. Called after the hooks of a step, for kinds with such hooks
 * (`KindHandle.hasOwnHooks`); hooks of this package write canonical values. Changes `object`. Throws an Error, which is
 * a fault of the server, for a value that does not fit its type.
 */
export async function settleHooks({ kind, parts }: KindHandle, object: ApiObject, pace: Pace): Promise<void> {
  const stages = normalizing(parts.shape, object, { reportUnknown: false })
  let canonical: JsonObject
  try {
    canonical = (await pace.run(stages)).object
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    throw new Error(`the hooks ${kind.behaviours.join(", ")} of ${kind.kind} wrote a value that does not fit: ${error.message}`)
  }
  for (const name of Object.keys(object)) delete object[name]
  Object.assign(object, canonical)
}
