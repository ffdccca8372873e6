/**
 * Pages of a collection in another order than by key. No state is kept between pages: each request scans the snapshot
 * once and keeps the first objects after the last one of the previous page. Memory depends on the size of the page, not
 * of the collection.
 */
import { badRequest, invalid } from "../base/errors.ts"
import { lookWork } from "../base/work.ts"
import { sortedObjectsMax } from "../base/limits.ts"
import type { CachedObject, Snapshot } from "../storage/cache.ts"
import { Turns } from "../base/turns.ts"
import { sortInTurns } from "./sort-in-turns.ts"
import type { ObjectFilter, ObjectWork } from "./object-filter.ts"

/** An order of objects; see `verbs/list/list-extensions.ts`. Equal objects follow the order of their keys. */
export interface ListOrder {
  /** The sort keys of an object. */
  keys(object: CachedObject): readonly Buffer[]
  /** The time that `keys` takes. */
  readonly work: ObjectWork
  compare(left: readonly Buffer[], right: readonly Buffer[]): number
}

export interface SortedRequest {
  readonly snapshot: Snapshot
  readonly prefix: string
  /** Objects below the prefix that may match. Absent: all of them. */
  readonly candidates?: Iterable<CachedObject>
  readonly order: ListOrder
  readonly filter?: ObjectFilter
  readonly filterWork?: ObjectWork
  /** Key of the last object on the previous page. */
  readonly startAfter?: string
  /** 0: all of them, up to `sortedObjectsMax`. */
  readonly limit: number
  /** Aborted when the client is gone. */
  readonly signal?: { readonly aborted: boolean }
}

export interface SortedPage {
  readonly items: readonly CachedObject[]
  /** Objects after the page. */
  readonly remaining: number
}

interface RankedObject {
  readonly object: CachedObject
  readonly keys: readonly Buffer[]
}

/** Called by list. Throws 422 for a list without limit that has more than `sortedObjectsMax` objects. */
export async function sortedPage(request: SortedRequest): Promise<SortedPage> {
  const { filter, filterWork = () => 0, limit, order, prefix, signal, snapshot } = request
  const size = Math.min(limit === 0 ? sortedObjectsMax : limit, sortedObjectsMax)
  const turns = new Turns()
  const kept = new TopObjects(size, turns, (left, right) => comparePlaced(order, left, right))
  const after = request.startAfter === undefined ? undefined : place(order, objectAt(snapshot, request.startAfter))
  for (const object of request.candidates ?? snapshot.entries({ prefix })) {
    // Before filter and order, which decode the object and so would make it look cheap.
    const work = lookWork + filterWork(object) + order.work(object)
    if (filter === undefined || filter(object)) {
      const placed = place(order, object)
      if ((after === undefined || comparePlaced(order, placed, after) > 0) && kept.offer(placed)) await kept.cut()
    }
    if (!turns.isOver(work)) continue
    await turns.next()
    if (signal?.aborted === true) break
  }
  const items = (await kept.sorted()).map(({ object }) => object)
  if (limit === 0 && kept.offered > items.length) throw tooMany()
  return { items, remaining: kept.offered - items.length }
}

function place(order: ListOrder, object: CachedObject): RankedObject {
  return { object, keys: order.keys(object) }
}

function comparePlaced(order: ListOrder, left: RankedObject, right: RankedObject): number {
  return order.compare(left.keys, right.keys) || (left.object.key < right.object.key ? -1 : left.object.key > right.object.key ? 1 : 0)
}

/** The object that ended the previous page. It exists, since both pages read the same snapshot. */
function objectAt(snapshot: Snapshot, key: string): CachedObject {
  // Bounded: few keys begin with the key of an object, and nothing is decoded.
  for (const object of snapshot.entries({ prefix: key })) if (object.key === key) return object
  throw badRequest("invalid continue token: continue key is not valid: what it continues behind is not there; start the list again")
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

/** Keeps the first `size` of the offered objects, in the memory of twice as many. */
class TopObjects {
  offered = 0
  private placed: RankedObject[] = []
  /** The last of the first `size` so far: objects after it are dropped. */
  private last: RankedObject | undefined

  constructor(
    private readonly size: number,
    private readonly turns: Turns,
    private readonly compare: (left: RankedObject, right: RankedObject) => number,
  ) {}

  /** Returns true when the caller must call `cut` before the next offer. */
  offer(one: RankedObject): boolean {
    this.offered++
    if (this.last !== undefined && this.compare(one, this.last) > 0) return false
    this.placed.push(one)
    return this.placed.length >= this.size * 2
  }

  async sorted(): Promise<readonly RankedObject[]> {
    await this.cut()
    return this.placed
  }

  async cut(): Promise<void> {
    this.placed = await sortInTurns(this.placed, this.compare, this.turns)
    if (this.placed.length < this.size) return
    this.placed.length = this.size
    this.last = this.placed.at(-1)
  }
}
