/**
 * Owners through `scale`: a Scale shows one field of its parent under another path, and who owns the one owns the other. Other fields have no
 * owners in the view; those of the parent stay as they are.
 */
import type { JsonObject } from "../../kit/json.ts"
import { difference, type FieldSet, intersection, isEmptySet, setOfPaths } from "../ownership/field-set.ts"
import { decodeEntries, type Entry, encodeEntries, ownerKey, readEntries } from "./entry.ts"

/** Where the replicas are. */
export interface ScaleMapping {
  /** As on the wire: of the Scale, and of the parent in the version in which it is scaled. */
  readonly scaleVersion: string
  readonly parentVersion: string
  /** The written set of `spec.replicas` in each version of the parent. Entries of other versions are dropped. */
  readonly replicas: (apiVersion: string) => FieldSet | undefined
}

const scaleReplicas: FieldSet = { "f:spec": { "f:replicas": {} } }

/** The set of one dotted path. */
export function setOfPath(path: string): FieldSet {
  return setOfPaths([path.split(".").map((name) => `f:${name}`)])
}

/** The `managedFields` of the Scale that shows a parent: the owners of the replicas. */
export function ownersOfScale(parent: readonly JsonObject[], mapping: ScaleMapping): JsonObject[] | undefined {
  const entries: Entry[] = []
  for (const entry of readEntries(parent)) {
    const replicas = mapping.replicas(entry.apiVersion)
    if (replicas === undefined || !owns(entry, replicas)) continue
    entries.push({ ...entry, fields: scaleReplicas, apiVersion: mapping.scaleVersion })
  }
  return encodeEntries(entries)
}

/** The `managedFields` of the parent once those of its Scale are `scale`: who lost the replicas there loses them here. */
export function ownersOfParent(
  parent: readonly JsonObject[],
  scale: readonly JsonObject[],
  mapping: ScaleMapping,
): JsonObject[] | undefined {
  const scaled = new Map<string, Entry[]>()
  for (const entry of decodeEntries(scale)) if (owns(entry, scaleReplicas)) put(scaled, inScale(entry), entry)
  const entries: Entry[] = []
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
    // Who comes to own the replicas through the Scale has no time, as in the reference.
    const { stored: _stored, time: _time, ...owner } = entry
    entries.push({ ...owner, apiVersion: mapping.parentVersion, fields: gained ?? {} })
  }
  return encodeEntries(entries)
}

function owns(entry: Entry, field: FieldSet): boolean {
  return !isEmptySet(intersection(entry.fields, field))
}

/** An owner of the parent is the same in the Scale, which has a version of its own. */
function inScale(owner: Entry): string {
  return ownerKey({ ...owner, apiVersion: "" })
}

function put(entries: Map<string, Entry[]>, key: string, entry: Entry): void {
  const same = entries.get(key)
  if (same === undefined) entries.set(key, [entry])
  else same.push(entry)
}
