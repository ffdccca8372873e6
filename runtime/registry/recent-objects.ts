/**
 * The objects that were written last, decoded: the next write of one of them, as controllers and node agents make them
 * after each other, need not parse it. No caller changes them in place.
 */
import type { ApiObject, JsonValue } from "../base/json.ts"
import { largeObjectBytes, recentObjectsBytes } from "../base/limits.ts"

export interface RecentObject {
  readonly revision: number
  /** Equal to its JSON parsed, in the stored version. */
  readonly object: ApiObject
  /** It has passed validation as a whole. */
  readonly passed: boolean
  /** Of its JSON. */
  readonly bytes: number
}

/** Called with each object that is kept. Tests freeze it, so that a change throws (test/support/freeze-recent.ts). */
export const recentObjectsGuard: { kept: (object: ApiObject) => void } = { kept: () => {} }

/** One per server. The object that was written longest ago goes first. */
export class RecentObjects {
  private readonly byKey = new Map<string, RecentObject>()
  private used = 0

  /** The object at `key`, if its version of this revision is kept. */
  find(key: string, revision: number): RecentObject | undefined {
    const recent = this.byKey.get(key)
    if (recent?.revision !== revision) return undefined
    // Looked at only now: most objects are not written again soon.
    if (isAsParsed(recent.object)) return recent
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

/** Whether an object has no field that is present and undefined, which parsed JSON never has. */
function isAsParsed(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && !isAsParsed(item)) return false
    return true
  }
  for (const name in value) {
    const field = value[name]
    if (field === undefined || (typeof field === "object" && !isAsParsed(field))) return false
  }
  return true
}
