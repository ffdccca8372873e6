/**
 * Sets of fields that many objects have in common: what one client makes is owned alike in all of it. Kept by their text, so that an object that
 * is read to be changed brings sets which are known already.
 */
import { isObject } from "../../kit/json.ts"
import { sharedSetCharactersMax, sharedSetsMax } from "../../limits.ts"
import type { TypeShape } from "../../kit/shape.ts"
import { reconciledSet } from "./atomic-change.ts"
import type { FieldSet } from "./field-set.ts"

/** What was found out about a shared set. */
interface Known {
  shape: TypeShape | undefined
  reconciled: FieldSet
}

const byText = new Map<string, FieldSet>()
const known = new WeakMap<FieldSet, Known>()

/**
 * The set of the text of a `fieldsV1` that this server has written; nobody may change it. Called for each owner of an object that is about to be
 * changed. Undefined for what is too long to be kept, and for text that is no set.
 */
export function sharedSet(text: string): FieldSet | undefined {
  const shared = byText.get(text)
  if (shared !== undefined || text.length > sharedSetCharactersMax) return shared
  const set: unknown = JSON.parse(text)
  if (!isObject(set)) return undefined
  if (byText.size >= sharedSetsMax) byText.clear()
  // A copy: a part of a longer text keeps all of that in memory.
  byText.set(Buffer.from(text).toString(), set)
  known.set(set, { shape: undefined, reconciled: set })
  return set
}

/** `reconciledSet`, looked up for sets that are shared. Called on every write for every owner. */
export function reconciledOnce(shape: TypeShape, set: FieldSet): FieldSet {
  const before = known.get(set)
  if (before === undefined) return reconciledSet(shape, set)
  if (before.shape !== shape) {
    before.reconciled = reconciledSet(shape, set)
    before.shape = shape
  }
  return before.reconciled
}
