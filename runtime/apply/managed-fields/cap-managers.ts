/** Limits the number of managed fields entries by merging the oldest updaters (specification section 4.8). */
import { updatersMax } from "../../base/limits.ts"
import { type FieldSet, unionOfAll } from "../ownership/field-set.ts"
import { compareTexts, type ManagedFieldsEntry, type Manager, managerKey } from "./entry.ts"

const bucketName = "ancient-changes"

/**
 * Called with the entries after an update. Beyond `updatersMax` updaters, merges the oldest ones of each version,
 * oldest first, until the rest fit. A merged entry has the newest time of its parts.
 */
export function capUpdaters(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  const updaters = entries.filter((entry) => entry.operation === "Update")
  if (updaters.length <= updatersMax) return entries
  const left = new Map(entries.map((entry) => [managerKey(entry), entry]))
  const buckets = new Map<string, FieldSet[]>()
  const firsts = new Map<string, ManagedFieldsEntry>()
  let count = updaters.length
  for (const entry of updaters.sort(byAge)) {
    if (count <= updatersMax) break
    const first = firsts.get(entry.apiVersion)
    if (first === undefined) {
      firsts.set(entry.apiVersion, entry)
      continue
    }
    fill({ left, buckets }, { first, entry })
    count--
  }
  return [...left.values()].map((entry) => withFields(entry, buckets.get(managerKey(entry))))
}

function withFields(entry: ManagedFieldsEntry, joined: readonly FieldSet[] | undefined): ManagedFieldsEntry {
  return joined === undefined ? entry : { ...entry, fields: unionOfAll(joined) }
}

interface CappedEntries {
  /** By `managerKey`, in insertion order. */
  readonly left: Map<string, ManagedFieldsEntry>
  /** The sets in each bucket, to be joined at the end. */
  readonly buckets: Map<string, FieldSet[]>
}

/** Moves an updater, and the first of its version, into the bucket of that version. */
function fill({ left, buckets }: CappedEntries, { first, entry }: { first: ManagedFieldsEntry; entry: ManagedFieldsEntry }): void {
  const owner: Manager = { manager: bucketName, operation: "Update", apiVersion: entry.apiVersion, subresource: "" }
  const key = managerKey(owner)
  const bucket = take(left, key) ?? take(left, managerKey(first))
  const other = take(left, managerKey(entry))
  const joined = bucket === undefined || other === undefined ? undefined : (buckets.get(key) ?? [bucket.fields])
  if (other !== undefined) joined?.push(other.fields)
  if (joined === undefined) buckets.delete(key)
  else buckets.set(key, joined)
  left.set(key, { ...owner, fields: entry.fields, ...(entry.time !== undefined && { time: entry.time }) })
}

function take(entries: Map<string, ManagedFieldsEntry>, key: string): ManagedFieldsEntry | undefined {
  const entry = entries.get(key)
  entries.delete(key)
  return entry
}

function byAge(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  return (
    compareTexts(left.time ?? "", right.time ?? "") ||
    compareTexts(left.manager, right.manager) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource, right.subresource)
  )
}
