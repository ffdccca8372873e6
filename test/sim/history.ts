/**
 * Requests and answers of the clients, and the actual changes: the input of all checks. Moments are whole numbers of
 * one sequence.
 */

/** The parts of an object's version that a client can see. */
export interface Content {
  /** metadata.resourceVersion */
  readonly version: number
  /** Written by create and PUT. */
  readonly text: string
  /** Written by patches only; PUT removes it. */
  readonly patched: string
  /** Value of the label `in`; "" if absent. */
  readonly label: string
}

export type Write =
  | { readonly do: "create"; readonly text: string; readonly label: string }
  | { readonly do: "put"; readonly text: string; readonly label: string; readonly ifVersion?: number }
  | { readonly do: "patch"; readonly patched: string; readonly ifVersion?: number }
  | { readonly do: "delete"; readonly ifVersion?: number }
  /** Written to the store directly, with others in one commit, whether the object existed or not. */
  | { readonly do: "set"; readonly text: string; readonly label: string }

/** The outcome of a request about one object. `unknown`: no answer, or one that leaves open whether it happened. */
export type Outcome =
  | { readonly is: "done"; readonly content?: Content }
  | { readonly is: "exists" | "missing" | "conflict" }
  | { readonly is: "unknown" }

export interface WriteRecord {
  readonly name: string
  readonly write: Write
  readonly call: number
  readonly return: number
  readonly outcome: Outcome
}

/** The minimum that a read must show. */
export type Freshness =
  | { readonly mode: "consistent" }
  | { readonly mode: "any" }
  | { readonly mode: "not-older"; readonly version: number }
  | { readonly mode: "exact"; readonly version: number }

export interface GetRecord {
  readonly name: string
  readonly freshness: Freshness
  readonly call: number
  readonly return: number
  /** Undefined: it did not exist. */
  readonly content: Content | undefined
}

/** One complete list, or all pages of one. */
export interface ListRecord {
  readonly freshness: Freshness
  readonly label: string | undefined
  readonly call: number
  /** Return of the first page: the others show the same state. */
  readonly return: number
  readonly pages: readonly { readonly version: number; readonly items: ReadonlyMap<string, Content> }[]
  /** The last page was read. */
  readonly whole: boolean
}

export type WatchedEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly name: string; readonly content: Content }
  | { readonly type: "BOOKMARK"; readonly version: number; readonly initialEnd: boolean }

/** One watch from its start to its end; a resumed watch is another one. */
export interface WatchRecord {
  readonly id: string
  readonly label: string | undefined
  /** Name of the only object watched; undefined: all. */
  readonly name: string | undefined
  /** Requests events after this revision; undefined: the state first. */
  readonly after: number | undefined
  readonly events: WatchedEvent[]
  /** "gone": ended with 410. "live" while it is open. */
  state: "live" | "gone" | "ended"
  /** For "gone": the compacted revision of the store. */
  goneAtCompacted?: number
  /** The watch has got every event up to here: it was still live when the world had come to rest. */
  completeTo?: number
  /** Elapsed time of the request. */
  readonly beganMs: number
  /** Set when the server ended the answer, without an error. */
  endedMs?: number
}

/** The deliveries to a subscriber of the watch cache itself. */
export interface DeliveryRecord {
  readonly id: string
  readonly after: number
  readonly deliveries: {
    readonly revision: number
    readonly events: readonly { readonly name: string; readonly revision: number; readonly type: string }[]
  }[]
}

/** An answer that no client may get in the circumstances, or a violation that the harness itself saw. */
export interface Complaint {
  readonly moment: number
  readonly text: string
}

export interface History {
  readonly writes: WriteRecord[]
  readonly gets: GetRecord[]
  readonly lists: ListRecord[]
  readonly watches: WatchRecord[]
  readonly deliveries: DeliveryRecord[]
  readonly complaints: Complaint[]
  /** The next moment. */
  now(): number
}

export function createHistory(): History {
  let moment = 0
  return { writes: [], gets: [], lists: [], watches: [], deliveries: [], complaints: [], now: () => ++moment }
}
