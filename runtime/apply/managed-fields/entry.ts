/**
 * `metadata.managedFields`, entry by entry: who owns which fields, in which version of the kind, since when (specification section 4.8).
 * Sets stay the parsed JSON that they are in the object; an entry that a write does not touch is stored again as it was.
 */
import { badRequest } from "../../errors.ts"
import { deepEqual } from "../../kit/field-path.ts"
import type { JsonObject, JsonValue } from "../../kit/json.ts"
import { canonicalFieldSet, type FieldSet, sortedFieldSet } from "../ownership/field-set.ts"

export type Operation = "Apply" | "Update"

/**
 * Who owns fields. An updater is another owner in every version that it writes, an applier is the same one in all: its configuration is one,
 * whatever version it is written in.
 */
export interface Owner {
  readonly manager: string
  readonly operation: Operation
  /** Of the paths, as on the wire. */
  readonly apiVersion: string
  /** "" for the object itself. */
  readonly subresource: string
}

export interface Entry extends Owner {
  readonly fields: FieldSet
  /** Whole seconds, `2026-01-02T03:04:05Z`. Absent for an owner whose writes have changed nothing yet. */
  readonly time?: string | undefined
  /** The JSON that the entry was read from: what of it is still so is stored as it was. */
  readonly stored?: JsonObject | undefined
}

/** True when both name the same owner, so that one entry holds the fields of both. */
export function sameOwner(left: Owner, right: Owner): boolean {
  return (
    left.manager === right.manager &&
    left.operation === right.operation &&
    left.subresource === right.subresource &&
    (left.operation === "Apply" || left.apiVersion === right.apiVersion)
  )
}

/** The same text for the same owner, another for another one: for maps of owners. */
export function ownerKey({ manager, operation, apiVersion, subresource }: Owner): string {
  return JSON.stringify([manager, operation, subresource, operation === "Apply" ? "" : apiVersion])
}

/** Entries that this server has written. Called once per write with what is stored. */
export function readEntries(list: readonly JsonObject[]): Entry[] {
  const entries: Entry[] = []
  for (const stored of list) {
    const fields = (stored.fieldsV1 ?? {}) as FieldSet // Only canonical sets are ever stored.
    entries.push(entryOf(stored, fields, stored))
  }
  return entries
}

/**
 * Entries as a client sent them; of two for one owner the later counts. Throws ApiError 400 for an entry that cannot be read: update and
 * create then pass over what was sent, apply refuses it.
 */
export function decodeEntries(list: readonly JsonObject[]): Entry[] {
  const entries = new Map<string, Entry>()
  for (const [index, sent] of list.entries()) {
    const entry = decodeEntry(sent, `metadata.managedFields[${index}]`)
    entries.set(ownerKey(entry), entry)
  }
  return [...entries.values()]
}

function decodeEntry(sent: JsonObject, field: string): Entry {
  const { operation, apiVersion, fieldsType } = sent
  if (operation !== "Apply" && operation !== "Update") throw badRequest(`${field}.operation: must be "Apply" or "Update"`)
  if (textOf(apiVersion) === "") throw badRequest(`${field}.apiVersion: must name the version of the paths in fieldsV1`)
  if (fieldsType !== "FieldsV1") throw badRequest(`${field}.fieldsType: must be "FieldsV1"`)
  return entryOf(sent, canonicalFieldSet(sent.fieldsV1 ?? {}), undefined)
}

/** All entries have the same fields in the same order, so that code which reads them meets one kind of record. */
function entryOf(json: JsonObject, fields: FieldSet, stored: JsonObject | undefined): Entry {
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

/** The list to store, in its published order: appliers first, then by time, manager, version and sub-resource. Undefined for none. */
export function encodeEntries(entries: readonly Entry[]): JsonObject[] | undefined {
  if (entries.length === 0) return undefined
  if (entries.length === 1 && entries[0] !== undefined) return [encodeEntry(entries[0])]
  return [...entries].sort(compareEntries).map((entry) => encodeEntry(entry))
}

/** One entry as it is stored. `sorted`: the elements of its set are in order already. */
export function encodeEntry(entry: Entry, sorted = false): JsonObject {
  const { stored, fields } = entry
  const sameFields = stored !== undefined && stored.fieldsV1 === fields
  if (sameFields && stored.time === entry.time && stored.apiVersion === entry.apiVersion) return stored
  const json: JsonObject = {}
  if (entry.manager !== "") json.manager = entry.manager
  json.operation = entry.operation
  json.apiVersion = entry.apiVersion
  if (entry.time !== undefined) json.time = entry.time
  json.fieldsType = "FieldsV1"
  json.fieldsV1 = sameFields || sorted ? fields : sortedFieldSet(fields)
  if (entry.subresource !== "") json.subresource = entry.subresource
  return json
}

function compareEntries(left: Entry, right: Entry): number {
  return (
    compareTexts(left.operation, right.operation) ||
    compareTexts(left.time ?? "", right.time ?? "") ||
    compareTexts(left.manager, right.manager) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource, right.subresource)
  )
}

/** For sorting texts by their code units. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** A list that says "forget all owners": empty, or of one empty entry. */
export function isReset(list: readonly JsonValue[]): boolean {
  return list.length === 0 || (list.length === 1 && deepEqual(list[0], {}))
}

/**
 * The owners to go on with when a client writes the whole object: those that it sent, else those that are stored, so that a client which
 * knows nothing of owners does not forget them. Sent ones that cannot be read are passed over.
 */
export function entriesOf(sent: readonly JsonObject[] | undefined, stored: readonly JsonObject[] | undefined): Entry[] {
  if (sent === undefined) return readEntries(stored ?? [])
  if (isReset(sent)) return []
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

/** Whether two stored lists name the same owners of the same fields, whenever they came to own them. */
export function sameButTimes(left: readonly JsonObject[] | undefined, right: readonly JsonObject[] | undefined): boolean {
  if (left === right) return true
  if (left === undefined || right === undefined || left.length !== right.length) return false
  const stored = new Map<string, JsonObject>()
  for (let index = 0; index < left.length; index++) {
    const [one, other] = [left[index], right[index]]
    if (one === undefined || other === undefined) return false
    // Most are where they were. Where one is not, all are looked up: an owner has one entry.
    if (one === other || sameButTime(one, other)) continue
    if (stored.size === 0) for (const entry of right) stored.set(wordsOf(entry), entry)
    const same = stored.get(wordsOf(one))
    if (same === undefined || !sameButTime(one, same)) return false
  }
  return true
}

/** Who owns the fields of a stored entry. */
function wordsOf({ manager, operation, subresource, apiVersion }: JsonObject): string {
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
