/**
 * The first validation of a kind in a process takes ten times as long as later ones: V8 compiles each function when it
 * is first called. Validating parts of the object before the whole spreads that over several turns.
 */
import type { ApiObject, JsonObject, JsonValue } from "../base/json.ts"
import { isObject } from "../base/json.ts"
import { Failures } from "../base/failure.ts"
import { inTurns, type Stages } from "../base/turns.ts"
import type { Vendor } from "../base/vendor.ts"
import { stringify } from "../encoding/json/text.ts"
import type { KindParts } from "../schema/kind.ts"

/** A part with more JSON than this is taken apart again. */
export const partCharactersMax = 1024
/** More parts than this would compile nothing new. */
const partsMax = 64

/** Called before the first validation of a kind with its object. What the parts would fail for is of no interest. */
export function validateParts(parts: KindParts, object: ApiObject, vendor: Vendor): Promise<void> {
  return inTurns(validatingParts(parts, object, vendor))
}

function* validatingParts({ validate }: KindParts, object: ApiObject, vendor: Vendor): Stages<void> {
  const { kind = "", apiVersion = "", metadata = {} } = object
  // Bounded: by partsMax.
  for (const part of partsOf(object).slice(0, partsMax)) {
    if (!isObject(part)) continue
    try {
      validate({ ...part, kind, apiVersion, metadata }, { failures: new Failures(), vendor, later: () => {} })
    } catch {
      // A part lacks what its checks find in every whole object.
    }
    yield
  }
}

/** Values with a part of this one each, which together have all of it. */
export function partsOf(value: JsonValue): JsonValue[] {
  if (typeof value !== "object" || value === null || stringify(value).length <= partCharactersMax) return [value]
  // Bounded: by the size of an object that does not take turns by itself.
  if (Array.isArray(value)) return value.flatMap((item) => partsOf(item).map((part) => [part]))
  const parts: JsonValue[] = []
  let rest: JsonObject = {}
  for (const name in value) {
    const own = partsOf(value[name] ?? null)
    if (own.length > 1) for (const part of own) parts.push({ [name]: part })
    else if (stringify(rest).length < partCharactersMax) rest[name] = value[name]
    else {
      parts.push(rest)
      rest = { [name]: value[name] }
    }
  }
  return [...parts, rest]
}
