/**
 * Managed fields through `scale`. A Scale shows one field of its parent under another path, so the manager of one
 * manages the other. Other fields of the Scale have no manager; other managed fields of the parent do not change.
 */
import type { JsonObject } from "../../base/json.ts"
import { difference, type FieldSet, intersection, isEmptySet, setOfPaths } from "../ownership/field-set.ts"
import { decodeEntries, type ManagedFieldsEntry, encodeEntries, managerKey, readEntries } from "./entry.ts"

/** The paths of the replicas. */
export interface ScaleMapping {
  /** As on the wire: the version of the Scale, and the version in which its parent is scaled. */
  readonly scaleVersion: string
  readonly parentVersion: string
  /** Returns the set that holds `spec.replicas` in a version of the parent. Entries of other versions are dropped. */
  readonly replicas: (apiVersion: string) => FieldSet | undefined
}

const scaleReplicas: FieldSet = { "f:spec": { "f:replicas": {} } }

/** The set of one dotted path. */
export function setOfPath(path: string): FieldSet {
  return setOfPaths([path.split(".").map((name) => `f:${name}`)])
}

/** Returns the `managedFields` of a Scale: the managers of the parent's replicas. */
export function managedFieldsOfScale(parent: readonly JsonObject[], mapping: ScaleMapping): JsonObject[] | undefined {
  const entries: ManagedFieldsEntry[] = []
  for (const entry of readEntries(parent)) {
    const replicas = mapping.replicas(entry.apiVersion)
    if (replicas === undefined || !owns(entry, replicas)) continue
    entries.push({ ...entry, fields: scaleReplicas, apiVersion: mapping.scaleVersion })
  }
  return encodeEntries(entries)
}

/**
 * Returns the `managedFields` of the parent after a write through Scale: a manager that lost `spec.replicas` on the
 * Scale loses it on the parent.
 */
export function managedFieldsOfParent(
  parent: readonly JsonObject[],
  scale: readonly JsonObject[],
  mapping: ScaleMapping,
): JsonObject[] | undefined {
  const scaled = new Map<string, ManagedFieldsEntry[]>()
  for (const entry of decodeEntries(scale)) if (owns(entry, scaleReplicas)) put(scaled, inScale(entry), entry)
  const entries: ManagedFieldsEntry[] = []
  for (const entry of readEntries(parent)) {
    const replicas = mapping.replicas(entry.apiVersion)
    if (replicas === undefined) continue
    if (!owns(entry, replicas) || scaled.get(inScale(entry))?.pop() !== undefined) entries.push(entry)
    else {
      const rest = { ...entry, fields: difference(entry.fields, replicas) }
      if (!isEmptySet(rest.fields)) entries.push(rest)
    }
  }
  const gained = mapping.replicas(mapping.parentVersion)
  for (const entry of gained === undefined ? [] : [...scaled.values()].flat()) {
    // A manager that gains the replicas through the Scale has no time, as in the reference.
    const { stored: _stored, time: _time, ...owner } = entry
    entries.push({ ...owner, apiVersion: mapping.parentVersion, fields: gained ?? {} })
  }
  return encodeEntries(entries)
}

function owns(entry: ManagedFieldsEntry, field: FieldSet): boolean {
  return !isEmptySet(intersection(entry.fields, field))
}

/** A key for the same manager in parent and Scale, which differ in version. */
function inScale(owner: ManagedFieldsEntry): string {
  return managerKey({ ...owner, apiVersion: "" })
}

function put(entries: Map<string, ManagedFieldsEntry[]>, key: string, entry: ManagedFieldsEntry): void {
  const same = entries.get(key)
  if (same === undefined) entries.set(key, [entry])
  else same.push(entry)
}
