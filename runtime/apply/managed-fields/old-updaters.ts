/** The list of owners is bounded: of many updaters the oldest are put together (specification section 4.8). */
import { updatersMax } from "../../limits.ts"
import { union } from "../ownership/field-set.ts"
import { compareTexts, type Entry, type Owner, sameOwner } from "./entry.ts"

const bucketName = "ancient-changes"

/**
 * Called with the owners after an update. Beyond `updatersMax` updaters the oldest of each version become one, oldest first, until the rest
 * fit; the newest time of what went into it is its time.
 */
export function withoutOldUpdaters(entries: readonly Entry[]): readonly Entry[] {
  const updaters = entries.filter((entry) => entry.operation === "Update")
  if (updaters.length <= updatersMax) return entries
  const left = [...entries]
  const firsts = new Map<string, Entry>()
  let count = updaters.length
  for (const entry of updaters.sort(byAge)) {
    if (count <= updatersMax) break
    const first = firsts.get(entry.apiVersion)
    if (first === undefined) {
      firsts.set(entry.apiVersion, entry)
      continue
    }
    fill(left, { first, entry })
    count--
  }
  return left
}

/** Puts an updater, and the older one before it, into the bucket of their version. */
function fill(left: Entry[], { first, entry }: { first: Entry; entry: Entry }): void {
  const owner: Owner = { manager: bucketName, operation: "Update", apiVersion: entry.apiVersion, subresource: "" }
  const bucket = take(left, owner) ?? take(left, first)
  const other = take(left, entry)
  const fields = bucket === undefined || other === undefined ? entry.fields : union(other.fields, bucket.fields)
  left.push({ ...owner, fields, ...(entry.time !== undefined && { time: entry.time }) })
}

function take(entries: Entry[], owner: Owner): Entry | undefined {
  const at = entries.findIndex((entry) => sameOwner(entry, owner))
  return at < 0 ? undefined : entries.splice(at, 1)[0]
}

function byAge(left: Entry, right: Entry): number {
  return (
    compareTexts(left.time ?? "", right.time ?? "") ||
    compareTexts(left.manager, right.manager) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource, right.subresource)
  )
}
