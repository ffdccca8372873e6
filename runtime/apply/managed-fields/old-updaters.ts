/** Limits the number of managed fields entries by merging the oldest updaters (specification section 4.8). */
import { updatersMax } from "../../limits.ts"
import { type FieldSet, unionOfAll } from "../ownership/field-set.ts"
import { compareTexts, type Entry, type Owner, ownerKey } from "./entry.ts"

const bucketName = "ancient-changes"

/**
 * Called with the entries after an update. Beyond `updatersMax` updaters, merges the oldest ones of each version,
 * oldest first, until the rest fit. A merged entry has the newest time of its parts.
 */
export function withoutOldUpdaters(entries: readonly Entry[]): readonly Entry[] {
  const updaters = entries.filter((entry) => entry.operation === "Update")
  if (updaters.length <= updatersMax) return entries
  const left = new Map(entries.map((entry) => [ownerKey(entry), entry]))
  const buckets = new Map<string, FieldSet[]>()
  const firsts = new Map<string, Entry>()
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
  return [...left.values()].map((entry) => withFields(entry, buckets.get(ownerKey(entry))))
}

function withFields(entry: Entry, joined: readonly FieldSet[] | undefined): Entry {
  return joined === undefined ? entry : { ...entry, fields: unionOfAll(joined) }
}

interface Left {
  /** By `ownerKey`, in insertion order. */
  readonly left: Map<string, Entry>
  /** The sets in each bucket, to be joined at the end. */
  readonly buckets: Map<string, FieldSet[]>
}

/** Moves an updater, and the first of its version, into the bucket of that version. */
function fill({ left, buckets }: Left, { first, entry }: { first: Entry; entry: Entry }): void {
  const owner: Owner = { manager: bucketName, operation: "Update", apiVersion: entry.apiVersion, subresource: "" }
  const key = ownerKey(owner)
  const bucket = take(left, key) ?? take(left, ownerKey(first))
  const other = take(left, ownerKey(entry))
  const joined = bucket === undefined || other === undefined ? undefined : (buckets.get(key) ?? [bucket.fields])
  if (other !== undefined) joined?.push(other.fields)
  if (joined === undefined) buckets.delete(key)
  else buckets.set(key, joined)
  left.set(key, { ...owner, fields: entry.fields, ...(entry.time !== undefined && { time: entry.time }) })
}

function take(entries: Map<string, Entry>, key: string): Entry | undefined {
  const entry = entries.get(key)
  entries.delete(key)
  return entry
}

function byAge(left: Entry, right: Entry): number {
  return (
    compareTexts(left.time ?? "", right.time ?? "") ||
    compareTexts(left.manager, right.manager) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource, right.subresource)
  )
}
