/**
 * Field sets that many objects share: objects of one client have the same managed fields. Sets are cached by their
 * text, so an update reads a set that was parsed and reconciled before.
 */
import { isObject } from "../../base/json.ts"
import { sharedSetCharactersMax, sharedSetsCharactersMax } from "../../base/limits.ts"
import { fieldSetText, keepFieldSetText } from "../../encoding/json/field-set-text.ts"
import type { Stages } from "../../base/turns.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { reconciledSet } from "./atomic-change.ts"
import type { FieldSet } from "./field-set.ts"
import { reconcilingStages } from "./field-set-stages.ts"

/** Cached results about a shared set. */
interface CachedReconciliation {
  shape: TypeShape | undefined
  reconciled: FieldSet
}

const byText = new Map<string, FieldSet>()
let characters = 0
const known = new WeakMap<FieldSet, CachedReconciliation>()

/**
 * Returns the set of a `fieldsV1` text that this server has written; callers must not change it. Called for each
 * manager of an object that is about to change. Undefined when the text is too long to cache or is not a set.
 */
export function sharedSet(text: string): FieldSet | undefined {
  const shared = byText.get(text)
  if (shared !== undefined || text.length > sharedSetCharactersMax) return shared
  const set: unknown = JSON.parse(text)
  return isObject(set) ? share(set, text) : undefined
}

function share(set: FieldSet, text: string): FieldSet {
  if (characters + text.length > sharedSetsCharactersMax) {
    byText.clear()
    characters = 0
  }
  characters += text.length
  // A copy, since a slice of a longer string would retain all of it.
  const own = Buffer.from(text).toString()
  byText.set(own, set)
  keepFieldSetText(set, own)
  known.set(set, { shape: undefined, reconciled: set })
  return set
}

/** The shared set that equals a sorted one: that one itself when there is none yet. Called for sets that are stored. */
export function asShared(set: FieldSet): FieldSet {
  if (known.has(set)) return set
  const text = fieldSetText(set)
  if (text.length > sharedSetCharactersMax) return set
  return byText.get(text) ?? share(set, text)
}

/** `reconciledSet`, cached for shared sets. Called on every write for every manager. */
export function reconciledOnce(shape: TypeShape, set: FieldSet): FieldSet {
  const before = known.get(set)
  if (before === undefined) return reconciledSet(shape, set)
  if (before.shape !== shape) {
    before.reconciled = reconciledSet(shape, set)
    before.shape = shape
  }
  return before.reconciled
}

/** `reconciledOnce` in stages. Shared sets are short: one stage. */
export function* reconciledOnceStages(shape: TypeShape, set: FieldSet): Stages<FieldSet> {
  return known.has(set) ? reconciledOnce(shape, set) : yield* reconcilingStages(shape, set)
}
