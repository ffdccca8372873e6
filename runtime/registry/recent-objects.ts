/**
 * The objects that were written last, decoded: controllers and node agents write the same object repeatedly, and the
 * next write need not parse it. No caller changes them in place.
 */
import { type ApiObject, isObject, type JsonObject } from "../base/json.ts"
import { largeObjectBytes, recentObjectsBytes } from "../base/limits.ts"
import { isAsParsed, isSettled } from "../encoding/settled.ts"

export interface RecentObject {
  readonly revision: number
  /** Equal to its JSON parsed, in the stored version. */
  readonly object: ApiObject
  /** It has passed validation as a whole. */
  readonly passed: boolean
  /** Length of its JSON. */
  readonly bytes: number
}

/** Called with each object that is kept. Tests freeze it, so that a change throws (test/support/freeze-recent.ts). */
export const recentObjectsGuard: { kept: (object: ApiObject) => void } = { kept: () => {} }

/** One per server. The object that was written longest ago is dropped first. */
export class RecentObjects {
  private readonly byKey = new Map<string, RecentObject>()
  private used = 0
  /** The objects that passed the check in `find`. */
  private readonly looked = new WeakSet<RecentObject>()

  /** As `find`, for a deletion: fields of the object may be present and undefined, which its JSON does not show. */
  findToDelete(key: string, revision: number): RecentObject | undefined {
    const recent = this.byKey.get(key)
    return recent?.revision === revision ? recent : undefined
  }

  /** The object at `key`, if its version of this revision is kept. */
  find(key: string, revision: number): RecentObject | undefined {
    const recent = this.findToDelete(key, revision)
    if (recent === undefined) return undefined
    // Checked only now: most objects are not written again soon.
    if (this.looked.has(recent) || isWholeAsParsed(recent.object)) {
      this.looked.add(recent)
      return recent
    }
    this.drop(key)
    return undefined
  }

  /** Called after a commit. */
  keep(key: string, recent: RecentObject): void {
    const { object, bytes } = recent
    this.drop(key)
    if (bytes >= largeObjectBytes) return
    recentObjectsGuard.kept(object)
    this.byKey.set(key, recent)
    this.used += bytes
    for (const oldest of this.byKey.keys()) {
      if (this.used <= recentObjectsBytes) return
      this.drop(oldest)
    }
  }

  /** Called when an object is removed. */
  drop(key: string): void {
    const recent = this.byKey.get(key)
    if (recent === undefined) return
    this.byKey.delete(key)
    this.used -= recent.bytes
  }
}

/** Settled values were checked when they were settled; the sets of managed fields are built without such fields. */
function isWholeAsParsed(object: ApiObject): boolean {
  for (const name in object) {
    const value = object[name]
    const isKnown = isObject(value) && (name === "metadata" ? isMetadataAsParsed(value) : isSettled(value))
    if (value === undefined || !(isKnown || isAsParsed(value))) return false
  }
  return true
}

function isMetadataAsParsed(metadata: JsonObject): boolean {
  const { managedFields } = metadata
  if (!Array.isArray(managedFields)) return isAsParsed(metadata)
  for (const name in metadata) if (name !== "managedFields" && (metadata[name] === undefined || !isAsParsed(metadata[name]))) return false
  return managedFields.every((entry) => isObject(entry) && !Object.values(entry).includes(undefined))
}
