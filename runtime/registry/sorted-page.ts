/**
 * Pages of a collection in another order than that of its keys. Nothing is kept between pages: each goes through the snapshot once and keeps
 * the best of what follows the last object of the page before, so that a page costs the memory of a page whatever the collection holds.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { badRequest, invalid } from "../errors.ts"
import { scanTurnObjects, sortedObjectsMax } from "../limits.ts"
import type { CachedObject, Snapshot } from "../storage/cache.ts"
import type { ObjectFilter } from "./read.ts"

/** An order of objects; made by `verbs/list-extensions.ts`. Objects that it holds equal come in the order of their keys. */
export interface ListOrder {
  /** What of an object its place depends on. */
  keys(object: CachedObject): readonly Buffer[]
  compare(left: readonly Buffer[], right: readonly Buffer[]): number
}

export interface SortedRequest {
  readonly snapshot: Snapshot
  readonly prefix: string
  readonly order: ListOrder
  readonly filter?: ObjectFilter
  /** Key of the last object of the page before. */
  readonly startAfter?: string
  /** 0: all of them, if they are not too many. */
  readonly limit: number
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal
}

export interface SortedPage {
  readonly items: readonly CachedObject[]
  /** Objects that follow the page. */
  readonly remaining: number
}

interface Placed {
  readonly object: CachedObject
  readonly keys: readonly Buffer[]
}

/** Called by list. Throws 422 for a list without limit that would be longer than `sortedObjectsMax`. */
export async function sortedPage(request: SortedRequest): Promise<SortedPage> {
  const { snapshot, prefix, limit } = request
  const size = Math.min(limit === 0 ? sortedObjectsMax : limit, sortedObjectsMax)
  const kept = new Best(size, (left, right) => comparePlaced(request.order, left, right))
  const after = request.startAfter === undefined ? undefined : place(request.order, objectAt(snapshot, request.startAfter))
  await scan(snapshot.entries({ prefix }), request.signal, (object) => {
    if (request.filter !== undefined && !request.filter(object)) return true
    const placed = place(request.order, object)
    if (after === undefined || comparePlaced(request.order, placed, after) > 0) kept.offer(placed)
    return true
  })
  const items = kept.sorted().map(({ object }) => object)
  if (limit === 0 && kept.offered > items.length) throw tooMany()
  return { items, remaining: kept.offered - items.length }
}

/** Goes through objects that are decoded on the way, and lets other requests have their turn now and then. `visit` answers whether to go on. */
export async function scan(
  objects: Iterable<CachedObject>,
  signal: AbortSignal | undefined,
  visit: (object: CachedObject) => boolean,
): Promise<void> {
  let seen = 0
  for (const object of objects) {
    if (!visit(object)) return
    if (++seen % scanTurnObjects !== 0) continue
    await nextTurn()
    if (signal?.aborted === true) return
  }
}

function place(order: ListOrder, object: CachedObject): Placed {
  return { object, keys: order.keys(object) }
}

function comparePlaced(order: ListOrder, left: Placed, right: Placed): number {
  return order.compare(left.keys, right.keys) || (left.object.key < right.object.key ? -1 : left.object.key > right.object.key ? 1 : 0)
}

/** The snapshot is the one that the page before was taken from, so what ended that page is in it. */
function objectAt(snapshot: Snapshot, key: string): CachedObject {
  for (const object of snapshot.entries({ prefix: key })) if (object.key === key) return object
  throw badRequest("continue key is not valid: what it continues behind is not there; start the list again")
}

function tooMany(): Error {
  return invalid({ group: "meta.orch.io", resource: "ListOptions" }, [
    {
      type: "Forbidden",
      field: "sortBy",
      detail: `more than ${sortedObjectsMax} objects match: ask for pages with limit, or narrow the list with selectors`,
    },
  ])
}

/** The first so many of those offered, in twice their memory. */
class Best {
  offered = 0
  private placed: Placed[] = []
  /** What comes behind it is not among the first. */
  private last: Placed | undefined

  constructor(
    private readonly size: number,
    private readonly compare: (left: Placed, right: Placed) => number,
  ) {}

  offer(one: Placed): void {
    this.offered++
    if (this.last !== undefined && this.compare(one, this.last) > 0) return
    this.placed.push(one)
    if (this.placed.length >= this.size * 2) this.cut()
  }

  sorted(): readonly Placed[] {
    this.cut()
    return this.placed
  }

  private cut(): void {
    this.placed.sort(this.compare)
    if (this.placed.length < this.size) return
    this.placed.length = this.size
    this.last = this.placed.at(-1)
  }
}
