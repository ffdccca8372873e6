/**
 * The entries of `metadata.managedFields`: which manager owns which fields, in which version of the kind, and since
 * when (specification section 4.8). Field sets remain the parsed JSON of the object; an entry that a write does not
 * change is stored again unchanged.
 */
import { badRequest } from "../../base/errors.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { Stages } from "../../base/turns.ts"
import { sortedStages } from "../ownership/field-set-stages.ts"
import { asShared } from "../ownership/shared-sets.ts"
import { canonicalFieldSet, type FieldSet, sortedFieldSet } from "../ownership/field-set.ts"

export type ManagerOperation = "Apply" | "Update"

/**
 * A field manager. An updater has one entry per version that it writes. An applier has one entry in all, because it has
 * one configuration, whatever its version.
 */
export interface Manager {
  readonly manager: string
  readonly operation: ManagerOperation
  /** The version of the paths, as on the wire. */
  readonly apiVersion: string
  /** "" for the main resource. */
  readonly subresource: string
}

export interface ManagedFieldsEntry extends Manager {
  readonly fields: FieldSet
  /** Whole seconds, `2026-01-02T03:04:05Z`. Absent for a manager whose writes have not changed anything yet. */
  readonly time?: string | undefined
  /** The JSON that the entry was read from. Unchanged parts are stored again as they were. */
  readonly stored?: JsonObject | undefined
}

/** True when both are the same manager, so that one entry holds the fields of both. */
export function sameManager(left: Manager, right: Manager): boolean {
  return (
    left.manager === right.manager &&
    left.operation === right.operation &&
    left.subresource === right.subresource &&
    (left.operation === "Apply" || left.apiVersion === right.apiVersion)
  )
}

/** A key that is equal exactly for the same manager, for maps. */
export function managerKey({ manager, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify([manager, operation, subresource, operation === "Apply" ? "" : apiVersion])
}

/** Parses entries that this server has written. Called once per write with the stored list. */
export function readEntries(list: readonly JsonObject[]): ManagedFieldsEntry[] {
  const entries: ManagedFieldsEntry[] = []
  for (const stored of list) {
    const fields = (stored.fieldsV1 ?? {}) as FieldSet // Only canonical sets are ever stored.
    entries.push(entryOf(stored, fields, stored))
  }
  return entries
}

/**
 * Parses entries that a client sent; of two for the same manager the later counts. Throws ApiError 400 for an invalid
 * entry: update and create then ignore what was sent, apply refuses it.
 */
export function decodeEntries(list: readonly JsonObject[]): ManagedFieldsEntry[] {
  const entries = new Map<string, ManagedFieldsEntry>()
  for (const [index, sent] of list.entries()) {
    const entry = decodeEntry(sent, `metadata.managedFields[${index}]`)
    entries.set(managerKey(entry), entry)
  }
  return [...entries.values()]
}

function decodeEntry(sent: JsonObject, field: string): ManagedFieldsEntry {
  const { operation, apiVersion, fieldsType } = sent
  if (operation !== "Apply" && operation !== "Update") throw badRequest(`${field}.operation: must be "Apply" or "Update"`)
  if (textOf(apiVersion) === "") throw badRequest(`${field}.apiVersion: must name the version of the paths in fieldsV1`)
  if (fieldsType !== "FieldsV1") throw badRequest(`${field}.fieldsType: must be "FieldsV1"`)
  return entryOf(sent, canonicalFieldSet(sent.fieldsV1 ?? {}), undefined)
}

/** Gives all entries the same fields in the same order, so that V8 sees one kind of record. */
function entryOf(json: JsonObject, fields: FieldSet, stored: JsonObject | undefined): ManagedFieldsEntry {
  return {
    manager: textOf(json.manager),
    operation: json.operation === "Apply" ? "Apply" : "Update",
    apiVersion: textOf(json.apiVersion),
    subresource: textOf(json.subresource),
    fields,
    time: typeof json.time === "string" ? json.time : undefined,
    stored,
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : ""
}

/**
 * Returns the list to store in its published order: appliers first, then by time, manager, version and sub-resource.
 * Undefined when empty.
 */
export function encodeEntries(entries: readonly ManagedFieldsEntry[]): JsonObject[] | undefined {
  if (entries.length === 0) return undefined
  if (entries.length === 1 && entries[0] !== undefined) return [encodeEntry(entries[0])]
  return [...entries].sort(compareEntries).map((entry) => encodeEntry(entry))
}

/** `encodeEntries` in stages. */
export function* encodingStages(entries: readonly ManagedFieldsEntry[]): Stages<JsonObject[] | undefined> {
  if (entries.length === 0) return undefined
  const encoded: JsonObject[] = []
  for (const entry of [...entries].sort(compareEntries)) {
    const { stored, fields } = entry
    const isSorted = stored !== undefined && stored.fieldsV1 === fields
    encoded.push(encodeEntry(isSorted ? entry : { ...entry, fields: yield* sortedStages(fields) }, true))
  }
  return encoded
}

/** One entry as stored. `sorted`: its set is already sorted. */
export function encodeEntry(entry: ManagedFieldsEntry, sorted = false): JsonObject {
  const { stored, fields } = entry
  const sameFields = stored !== undefined && stored.fieldsV1 === fields
  if (sameFields && stored.time === entry.time && stored.apiVersion === entry.apiVersion) return stored
  const json: JsonObject = {}
  if (entry.manager !== "") json.manager = entry.manager
  json.operation = entry.operation
  json.apiVersion = entry.apiVersion
  if (entry.time !== undefined) json.time = entry.time
  json.fieldsType = "FieldsV1"
  json.fieldsV1 = sameFields || sorted ? fields : asShared(sortedFieldSet(fields, storedSet(stored)))
  if (entry.subresource !== "") json.subresource = entry.subresource
  return json
}

function storedSet(stored: JsonObject | undefined): FieldSet | undefined {
  return isObject(stored?.fieldsV1) ? stored.fieldsV1 : undefined
}

function compareEntries(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  return (
    compareTexts(left.operation, right.operation) ||
    compareTexts(left.time ?? "", right.time ?? "") ||
    compareTexts(left.manager, right.manager) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource, right.subresource)
  )
}

/** Compares texts by UTF-16 code units, for sorting. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** Whether a list clears all managed fields: it is empty or has one empty entry. */
export function clearsManagedFields(list: readonly JsonValue[]): boolean {
  return list.length === 0 || (list.length === 1 && deepEqual(list[0], {}))
}

/**
 * Returns the entries to continue with when a client writes the whole object: the sent entries, else the stored ones,
 * so that a client without knowledge of managedFields does not clear them. Ignores sent entries that are invalid.
 */
export function entriesToKeep(sent: readonly JsonObject[] | undefined, stored: readonly JsonObject[] | undefined): ManagedFieldsEntry[] {
  if (sent === undefined) return readEntries(stored ?? [])
  if (clearsManagedFields(sent)) return []
  if (stored !== undefined && (sent === stored || sameEntries(sent, stored))) return readEntries(stored)
  try {
    return decodeEntries(sent)
  } catch {
    return readEntries(stored ?? [])
  }
}

function sameEntries(left: readonly JsonObject[], right: readonly JsonObject[]): boolean {
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) if (!deepEqual(left[index], right[index])) return false
  return true
}

/** Whether two stored lists give the same managers the same fields, whatever their times. */
export function equalIgnoringTimes(left: readonly JsonObject[] | undefined, right: readonly JsonObject[] | undefined): boolean {
  if (left === right) return true
  if (left === undefined || right === undefined || left.length !== right.length) return false
  const stored = new Map<string, JsonObject>()
  for (let index = 0; index < left.length; index++) {
    const [one, other] = [left[index], right[index]]
    if (one === undefined || other === undefined) return false
    // Most entries keep their index. When one has moved, all are looked up: a manager has one entry.
    if (one === other || sameButTime(one, other)) continue
    if (stored.size === 0) for (const entry of right) stored.set(managerKeyOfStored(entry), entry)
    const same = stored.get(managerKeyOfStored(one))
    if (same === undefined || !sameButTime(one, same)) return false
  }
  return true
}

/** A key of the manager of a stored entry. */
function managerKeyOfStored({ manager, operation, subresource, apiVersion }: JsonObject): string {
  return JSON.stringify([manager ?? null, operation ?? null, subresource ?? null, apiVersion ?? null])
}

function sameButTime(left: JsonObject, right: JsonObject): boolean {
  return (
    left.manager === right.manager &&
    left.operation === right.operation &&
    left.subresource === right.subresource &&
    left.apiVersion === right.apiVersion &&
    deepEqual(left.fieldsV1, right.fieldsV1)
  )
}
