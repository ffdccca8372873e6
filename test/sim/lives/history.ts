/** What clients asked about objects of every kind and were told. `since` and `until` are revisions: those of the store at call and return. */
import type { ApiObject } from "../../../runtime/kit/json.ts"
import type { Place, Instant } from "./stored-objects.ts"

export interface ObjectCall extends Place {
  /** `let-go`: takes the clients' own finalizer out. `sweep`: deletes a collection; its `name` is "". */
  readonly act: "create" | "change" | "let-go" | "delete" | "sweep" | "get" | "list"
  /** Who writes, as an owner of fields. */
  readonly manager?: string
  /** What an apply, forced or not, says. */
  readonly applied?: { readonly text: string; readonly force: boolean }
  /** Only objects with the label `in`. */
  readonly label?: string
  /** Set for a name that the server is to complete. */
  readonly generate?: boolean
  readonly since: number
  /** Infinity: nobody knows whether it has happened, or may yet. */
  readonly until: number
  /** When it was called. */
  readonly at: Instant
  /** Undefined: no answer. */
  readonly status: number | undefined
  readonly answer: ApiObject
}

/** From `fromMs` to `untilMs`, in time that has passed, a candidate takes itself for the leader. */
export interface Belief {
  readonly candidate: string
  readonly fromMs: number
  readonly untilMs: number
}

export interface LifeHistory {
  readonly calls: ObjectCall[]
  readonly beliefs: Belief[]
}

/** Called once per run. */
export function createLifeHistory(): LifeHistory {
  return { calls: [], beliefs: [] }
}
