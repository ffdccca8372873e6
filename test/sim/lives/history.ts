/**
 * Requests about objects of every kind, with their answers. `since` and `until` are revisions of the store at call and
 * return.
 */
import type { ApiObject } from "../../../runtime/base/json.ts"
import type { WatchRecord } from "../history.ts"
import type { CustomResource, CustomVersion } from "./definitions.ts"
import type { Place, Instant } from "./stored-objects.ts"

export interface ObjectCall extends Place {
  /**
   * `let-go`: removes the clients' own finalizer. `force`: removes the finalizers of a definition. `sweep`: deletes a
   * collection; its `name` is "".
   */
  readonly act: "create" | "change" | "status" | "scale" | "let-go" | "force" | "delete" | "sweep" | "get" | "list"
  /** The field manager. */
  readonly manager?: string
  /** Value of an apply, and whether it is forced. */
  readonly applied?: { readonly text: string; readonly force: boolean }
  /** Value that a write of a sub-resource sets. */
  readonly sets?: string | number
  /** Only objects with the label `in`. */
  readonly label?: string
  /** Set for a name that the server completes. */
  readonly generate?: boolean
  /** Of a custom object: the version under which it was asked for. */
  readonly version?: CustomVersion
  /** With `version`: the store's revision when the server's process started. */
  readonly startedAt?: number
  readonly since: number
  /** Infinity: whether it has happened, or may still happen, is unknown. */
  readonly until: number
  /** The time of the call. */
  readonly at: Instant
  /** Undefined: no answer. */
  readonly status: number | undefined
  readonly answer: ApiObject
}

/** A candidate considers itself the leader from `fromMs` to `untilMs`, in elapsed time. */
export interface Belief {
  readonly candidate: string
  readonly fromMs: number
  readonly untilMs: number
}

/** A watch of custom objects in one namespace. */
export interface CustomWatchRecord extends WatchRecord {
  readonly resource: CustomResource
  readonly version: CustomVersion
  readonly namespace: string
  /** The store's revision at the request, at its end, and when the server's process started. */
  readonly since: number
  until?: number
  readonly startedAt: number
}

export interface LifeHistory {
  readonly calls: ObjectCall[]
  readonly watches: CustomWatchRecord[]
  readonly beliefs: Belief[]
}

/** Called once per run. */
export function createLifeHistory(): LifeHistory {
  return { calls: [], watches: [], beliefs: [] }
}
