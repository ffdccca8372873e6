/** What clients did and were told, and what really happened: all that the checks look at. Moments are whole numbers of one sequence. */

/** What a client can see of one version of an object. */
export interface Content {
  /** metadata.resourceVersion */
  readonly version: number
  /** Written by create and PUT. */
  readonly text: string
  /** Written by patches alone; PUT takes it away. */
  readonly patched: string
  /** Value of the label `in`; "" without. */
  readonly label: string
}

export type Write =
  | { readonly do: "create"; readonly text: string; readonly label: string }
  | { readonly do: "put"; readonly text: string; readonly label: string; readonly ifVersion?: number }
  | { readonly do: "patch"; readonly patched: string; readonly ifVersion?: number }
  | { readonly do: "delete"; readonly ifVersion?: number }
  /** Put into the store itself, beside others in one commit, whether it was there or not. */
  | { readonly do: "set"; readonly text: string; readonly label: string }

/** How a request about one object ended. `unknown`: no answer, or one that leaves open what has happened. */
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

/** What a read had to show at least. */
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
  /** Undefined: it was not there. */
  readonly content: Content | undefined
}

/** One whole list, or all pages of one. */
export interface ListRecord {
  readonly freshness: Freshness
  readonly label: string | undefined
  readonly call: number
  /** Of the first page: the others show the same state. */
  readonly return: number
  readonly pages: readonly { readonly version: number; readonly items: ReadonlyMap<string, Content> }[]
  /** There is no further page. */
  readonly whole: boolean
}

export type WatchedEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly name: string; readonly content: Content }
  | { readonly type: "BOOKMARK"; readonly version: number; readonly initialEnd: boolean }

/** One watch from its beginning to its end; a resumed one is another. */
export interface WatchRecord {
  readonly id: string
  readonly label: string | undefined
  /** Only this object. */
  readonly name: string | undefined
  /** Events after this were asked for; undefined: the state first. */
  readonly after: number | undefined
  readonly events: WatchedEvent[]
  /** "gone": 410. "live" while it goes on. */
  state: "live" | "gone" | "ended"
  /** When "gone": the store had been compacted up to here. */
  goneAtCompacted?: number
  /** Told everything up to here, as the simulation knows: it was still live when the world had come to rest. */
  completeTo?: number
}

/** What a subscriber of the watch cache itself was handed, delivery by delivery. */
export interface DeliveryRecord {
  readonly id: string
  readonly after: number
  readonly deliveries: {
    readonly revision: number
    readonly events: readonly { readonly name: string; readonly revision: number; readonly type: string }[]
  }[]
}

/** An answer that no client should get in the circumstances, or a promise that the harness itself saw broken. */
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
