/**
 * The first validation of a kind in a process takes ten times as long as later ones: V8 compiles each function when it
 * is first called. Validating parts of the object before the whole spreads that over several turns.
 */
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { Failures } from "../base/failure.ts"
import { inTurns, type Stages } from "../base/turns.ts"
import type { Vendor } from "../base/vendor.ts"
import { stringify } from "../encoding/json/text.ts"
import type { KindParts } from "../schema/kind.ts"

/** A part with more JSON than this is taken apart again. */
export const partCharactersMax = 1024
/** More parts than this would compile nothing new. */
const partsMax = 64
/** Parts are taken apart down to here: the variables of a container are 8 levels below a cron job. */
const levelsMax = 8

/**
 * Called before the first validation of a kind with its object, which is not large: a large one would be walked as a
 * whole here. Failures of the parts are ignored.
 */
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
      // Checks may throw on a part: it lacks fields that every whole object has.
    }
    yield
  }
}

/** Splits a value into values with one part each, which together cover it. */
export function partsOf(value: JsonValue, levels = levelsMax): JsonValue[] {
  if (levels === 0 || typeof value !== "object" || value === null || charactersOf(value) <= partCharactersMax) return [value]
  // Bounded: by the size of an object that is not large, once for each level.
  if (Array.isArray(value)) return value.flatMap((item) => partsOf(item, levels - 1).map((part) => [part]))
  const parts: JsonValue[] = []
  let rest: JsonObject = {}
  let characters = 0
  for (const name in value) {
    const field = value[name] ?? null
    const own = partsOf(field, levels - 1)
    if (own.length > 1) {
      for (const part of own) parts.push({ [name]: part })
      continue
    }
    if (characters >= partCharactersMax) {
      parts.push(rest)
      rest = {}
      characters = 0
    }
    rest[name] = field
    characters += name.length + charactersOf(field)
  }
  return [...parts, rest]
}

function charactersOf(value: JsonValue): number {
  return stringify(value).length
}
