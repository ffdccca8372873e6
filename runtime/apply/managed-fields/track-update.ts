/**
 * Managed fields after a write that is not an apply: the writer becomes the manager of all fields that it changed, and
 * other managers lose them.
 */
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { atOnce, type Stages } from "../../base/turns.ts"
import { createdSetText } from "../ownership/created-set-text.ts"
import { createdSet, createdSetStages } from "../ownership/created-set.ts"
import { difference, type FieldSet, isEmptySet, recursiveDifference, union } from "../ownership/field-set.ts"
import { differenceStages, unionStages } from "../ownership/field-set-stages.ts"
import { fieldsSentOtherwise } from "../ownership/sent-forms.ts"
import type { SentForm } from "../../encoding/sent-forms.ts"
import { reconciledOnce, reconciledOnceStages, sharedSet } from "../ownership/shared-sets.ts"
import { type ManagedFieldsEntry, encodeEntries, encodeEntry, encodingStages, entriesToKeep, type Manager, sameManager } from "./entry.ts"
import { capUpdaters } from "./cap-managers.ts"
import { type FieldChange, FieldChanges, emptyObject, type TypedVersion, type Versions } from "./versions.ts"

export interface UpdateToTrack {
  readonly versions: Versions
  /** As stored; absent for a creation. */
  readonly old?: ApiObject | undefined
  /**
   * The object as sent or patched: decoded, with defaults, before the kind's own changes. Its `managedFields` are as
   * the client sent them.
   */
  readonly next: ApiObject
  /** Values of `next` that were sent in another form than the stored one. */
  readonly forms?: readonly SentForm[] | undefined
  readonly manager: string
  /** "" for the main resource. */
  readonly subresource: string
  /** The time for managedFields, as text. */
  readonly now: string
}

/** Fields that the server sets or that identify the object. They have no manager. */
const unowned: FieldSet = {
  "f:apiVersion": {},
  "f:kind": {},
  "f:metadata": {
    ".": {},
    "f:clusterName": {},
    "f:creationTimestamp": {},
    "f:generation": {},
    "f:managedFields": {},
    "f:name": {},
    "f:namespace": {},
    "f:resourceVersion": {},
    "f:selfLink": {},
    "f:uid": {},
  },
}

/** Up to this many sets are compared with a change one by one; with more, it pays to index the change. */
export const fewManagers = 16

/**
 * Returns the `managedFields` to store; undefined for none. Called by create, update and every patch except apply, once
 * per attempt, before the kind's own changes to the object. An object whose managed fields were cleared stays without.
 */
export function trackUpdate(update: UpdateToTrack): JsonObject[] | undefined {
  return atOnce(tracking(update, false))
}

/** `trackUpdate` in steps, for large objects. */
export function trackingStages(update: UpdateToTrack): Stages<JsonObject[] | undefined> {
  return tracking(update, true)
}

function* tracking(update: UpdateToTrack, isLarge: boolean): Stages<JsonObject[] | undefined> {
  const stored = update.old?.metadata?.managedFields
  // A write to a sub-resource does not change the list itself, since most such clients do not send it.
  const sent = update.subresource === "" ? update.next.metadata?.managedFields : stored
  const before = entriesToKeep(sent, stored)
  if (before.length === 0)
    return update.old === undefined
      ? yield* managedFieldsOfNew(update, isLarge ? yield* createdSetStages(...creation(update)) : setOfNew(creation(update)))
      : undefined
  const changes = new FieldChanges(update.versions, update.old, update.next, update.forms)
  yield
  if (isLarge) yield* changes.compareStages()
  const owners = yield* updatedEntries(update, { before, changes }, isLarge)
  const entries = capUpdaters(owners)
  return isLarge ? yield* encodingStages(entries) : encodeEntries(entries)
}

/** The arguments of `createdSet`. */
function creation({ versions, next }: UpdateToTrack): Parameters<typeof createdSet> {
  const { shape } = versions.current
  return [shape, emptyObject(shape), next, unowned]
}

/** The set, which many objects share. */
function setOfNew(created: Parameters<typeof createdSet>): FieldSet {
  const text = createdSetText(...created)
  return (text === undefined ? undefined : sharedSet(text)) ?? createdSet(...created)
}

/** Most creations: there is no manager yet, and the creator owns all fields that it sets. */
function* managedFieldsOfNew(update: UpdateToTrack, created: FieldSet): Stages<JsonObject[] | undefined> {
  const { versions, manager, subresource, now, next, forms } = update
  const { reset, apiVersion, shape } = versions.current
  const otherwise = forms === undefined ? {} : yield* fieldsSentOtherwise(shape, { old: emptyObject(shape), next }, forms)
  const set = yield* unionStages(created, otherwise)
  const fields = isEmptySet(reset) ? set : recursiveDifference(set, reset)
  if (isEmptySet(fields)) return undefined
  return [encodeEntry({ manager, operation: "Update", apiVersion, subresource, time: now, fields }, true)]
}

/** `trackUpdate` on entries; apply needs it for objects written before managedFields existed. */
export function entriesAfterUpdate(update: UpdateToTrack, before: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const changes = new FieldChanges(update.versions, update.old, update.next)
  return atOnce(updatedEntries(update, { before, changes }, false))
}

function* updatedEntries(
  { versions, manager, subresource, now }: UpdateToTrack,
  { before, changes }: { readonly before: readonly ManagedFieldsEntry[]; readonly changes: FieldChanges },
  isLarge: boolean,
): Stages<ManagedFieldsEntry[]> {
  const owner: Manager = { manager, operation: "Update", apiVersion: versions.current.apiVersion, subresource }
  const { removed, valued, touched } = changes.current
  const taken = withoutUnmanaged(valued)
  const previous = before.find((entry) => sameManager(entry, owner))
  if (previous === undefined || isEmptySet(taken)) {
    const left = yield* withoutTouched(before, changes, isLarge)
    return isEmptySet(taken) ? left : [...left, { fields: taken, time: now, ...owner }]
  }
  // A manager usually changes fields that it owns already; its set then stays the same object.
  const lost = taken === valued ? removed : touched
  const kept = yield* setWithout(versions.current, { set: previous.fields, lost }, isLarge)
  const others = yield* withoutTouched(
    before.filter((entry) => entry !== previous),
    changes,
    isLarge,
  )
  const fields = isLarge ? yield* unionStages(kept, taken) : union(kept, taken)
  return [...others, { ...previous, fields, time: now }]
}

/** A stored set, reconciled with the version, without lost fields. */
function* setWithout(
  { shape }: TypedVersion,
  { set, lost }: { readonly set: FieldSet; readonly lost: FieldSet },
  isLarge: boolean,
): Stages<FieldSet> {
  if (!isLarge) return difference(reconciledOnce(shape, set), lost)
  return yield* differenceStages(yield* reconciledOnceStages(shape, set), lost)
}

/** Removes the fields that have no manager. */
export function withoutUnmanaged(set: FieldSet): FieldSet {
  return isEmptySet(set) ? set : difference(set, unowned)
}

/**
 * Removes the changed fields from every entry. Drops entries that become empty or whose version is not served.
 * `isLarge`: in stages.
 */
export function* withoutTouched(
  entries: readonly ManagedFieldsEntry[],
  changes: FieldChanges,
  isLarge: boolean,
): Stages<ManagedFieldsEntry[]> {
  const left: ManagedFieldsEntry[] = []
  const many = entries.length > fewManagers
  for (const entry of entries) {
    const change = changes.at(entry.apiVersion)
    if (change === undefined) continue
    const kept = isLarge && !many ? yield* untouchedStages(entry, change) : untouched(entry, change, many)
    if (!isEmptySet(kept.fields)) left.push(kept)
  }
  return left
}

function untouched(entry: ManagedFieldsEntry, change: FieldChange, many: boolean): ManagedFieldsEntry {
  if (many ? change.index().isEmpty : isEmptySet(change.touched)) return entry
  const set = reconciledOnce(change.version.shape, entry.fields)
  return withFields(entry, many ? change.index().takenFrom(set) : difference(set, change.touched))
}

function* untouchedStages(entry: ManagedFieldsEntry, change: FieldChange): Stages<ManagedFieldsEntry> {
  if (isEmptySet(change.touched)) return entry
  return withFields(entry, yield* setWithout(change.version, { set: entry.fields, lost: change.touched }, true))
}

function withFields(entry: ManagedFieldsEntry, fields: FieldSet): ManagedFieldsEntry {
  return fields === entry.fields ? entry : { ...entry, fields }
}
