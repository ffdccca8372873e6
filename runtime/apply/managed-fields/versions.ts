/**
 * The versions of a kind in managedFields. Paths of an entry are in the version that its manager wrote. So the old and
 * the new object are compared once in each version that an entry names. Entries of a version that is no longer served
 * are dropped.
 */
import { normalize } from "../../encoding/normalize.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { type Comparison, compareStates } from "../ownership/compare.ts"
import { comparingStages } from "../ownership/compare-stages.ts"
import { type FieldSet, isEmptySet, recursiveDifference, union } from "../ownership/field-set.ts"
import { unionStages } from "../ownership/field-set-stages.ts"
import { atOnce, type Stages } from "../../base/turns.ts"
import { fieldsSentOtherwise } from "../ownership/sent-forms.ts"
import type { SentForm } from "../../encoding/sent-forms.ts"
import { IndexedSet } from "../ownership/indexed-set.ts"

/** One served version of a kind, as a sub-resource writes it. */
export interface TypedVersion {
  /** As on the wire. */
  readonly apiVersion: string
  readonly shape: TypeShape
  /**
   * Fields, with everything below them, that the write takes from the stored object whatever the client sent. Sending
   * them gives no ownership.
   */
  readonly reset: FieldSet
  /** Convert to and from the form that all versions share. Pure. */
  readonly toStored: (object: ApiObject) => ApiObject
  readonly fromStored: (object: ApiObject) => ApiObject
}

/** The versions that matter to one write. */
export interface Versions {
  /** The version of the objects of the write. */
  readonly current: TypedVersion
  /** Returns undefined for a version that is not served. */
  readonly find: (apiVersion: string) => TypedVersion | undefined
}

/** The fields that a change touches, in one version. No path is in two of the sets. */
export interface FieldChange {
  readonly version: TypedVersion
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
  /** The union of `added` and `modified`: the fields with a new value. */
  readonly valued: FieldSet
  /** The union of the three. */
  readonly touched: FieldSet
  /** Indexes of `touched` and `valued`, for comparison with the sets of many managers; built on first use. */
  readonly index: () => IndexedSet
  readonly valueIndex: () => IndexedSet
}

/**
 * Converts `object` from version `from` to version `to`. Pure. Throws DecodeFault when the object does not fit the
 * kind.
 */
export function convertVersion(object: ApiObject, from: TypedVersion, to: TypedVersion): ApiObject {
  if (from === to) return object
  return to.fromStored(from.toStored(normalize(from.shape, object).object))
}

const emptyObjects = new WeakMap<TypeShape, JsonObject>()

/** The object in which nothing is set, to compare a new object with. Holds the fields that are always written. */
export function emptyObject(shape: TypeShape): ApiObject {
  let empty = emptyObjects.get(shape)
  if (empty === undefined) {
    empty = normalize(shape, {}).object
    emptyObjects.set(shape, empty)
  }
  return empty
}

/** The change from `old` to `next` in every requested version, each computed at most once. */
export class FieldChanges {
  private readonly known = new Map<string, FieldChange>()
  private ofCurrent: FieldChange | undefined
  private readonly old: ApiObject

  /** Both in the current version; `old` is undefined for a creation. Their managedFields do not count. */
  constructor(
    private readonly versions: Versions,
    old: ApiObject | undefined,
    private readonly next: ApiObject,
    /** Values of `next` that were sent in another form than the stored one. */
    private readonly forms?: readonly SentForm[],
  ) {
    this.old = old ?? emptyObject(versions.current.shape)
  }

  /** Computes `current` in stages. Called first for large objects. */
  *compareStages(): Stages<void> {
    const { current } = this.versions
    const found = yield* comparingStages(current.shape, this.old, this.next)
    const { added, modified, removed } = withoutReset(current, yield* this.withForms(found))
    const valued = yield* unionStages(added, modified)
    const touched = yield* unionStages(valued, removed)
    this.ofCurrent = indexed({ version: current, added, modified, removed, valued, touched })
  }

  /** The change in the version of the objects. */
  get current(): FieldChange {
    const { current } = this.versions
    this.ofCurrent ??= changeOf(current, atOnce(this.withForms(compareStates(current.shape, this.old, this.next))))
    return this.ofCurrent
  }

  private *withForms(found: Comparison): Stages<Comparison> {
    if (this.forms === undefined) return found
    const otherwise = yield* fieldsSentOtherwise(this.versions.current.shape, { old: this.old, next: this.next }, this.forms)
    return { ...found, modified: yield* unionStages(found.modified, otherwise) }
  }

  /** The change in a version; undefined when the version is not served. */
  at(apiVersion: string): FieldChange | undefined {
    if (apiVersion === this.versions.current.apiVersion) return this.current
    const version = this.versions.find(apiVersion)
    return version === undefined ? undefined : this.of(version)
  }

  private of(version: TypedVersion): FieldChange {
    let change = this.known.get(version.apiVersion)
    if (change === undefined) {
      const { current } = this.versions
      const old = convertVersion(this.old, current, version)
      const next = convertVersion(this.next, current, version)
      change = changeOf(version, compareStates(version.shape, old, next))
      this.known.set(version.apiVersion, change)
    }
    return change
  }
}

function changeOf(version: TypedVersion, found: Comparison): FieldChange {
  const { added, modified, removed } = withoutReset(version, found)
  const valued = union(added, modified)
  return indexed({ version, added, modified, removed, valued, touched: union(valued, removed) })
}

function withoutReset({ reset }: TypedVersion, { added, modified, removed }: Comparison): Comparison {
  const kept = (set: FieldSet): FieldSet => (isEmptySet(reset) || isEmptySet(set) ? set : recursiveDifference(set, reset))
  return { added: kept(added), modified: kept(modified), removed: kept(removed) }
}

function indexed({ version, added, modified, removed, valued, touched }: Omit<FieldChange, "index" | "valueIndex">): FieldChange {
  let index: IndexedSet | undefined
  let valueIndex: IndexedSet | undefined
  return {
    version,
    added,
    modified,
    removed,
    valued,
    touched,
    index: () => (index ??= new IndexedSet(touched)),
    valueIndex: () => (valueIndex ??= new IndexedSet(valued)),
  }
}
