/**
 * Pages of a collection in another order than that of its keys. Nothing is kept between pages: each goes through the snapshot once and keeps
 * the best of what follows the last object of the page before, so that a page costs the memory of a page whatever the collection holds.
 */
import { badRequest, invalid } from "../base/errors.ts"
import { lookWork } from "../base/work.ts"
import { sortedObjectsMax } from "../base/limits.ts"
import type { CachedObject, Snapshot } from "../storage/cache.ts"
import { Turns } from "../base/turns.ts"
import { sortInTurns } from "./sort-in-turns.ts"
import type { ObjectFilter, ObjectWork } from "./object-filter.ts"

/** An order of objects; made by `verbs/list/list-extensions.ts`. Objects that it holds equal come in the order of their keys. */
export interface ListOrder {
  /** What of an object its place depends on. */
  keys(object: CachedObject): readonly Buffer[]
  /** What `keys` takes. */
  readonly work: ObjectWork
  compare(left: readonly Buffer[], right: readonly Buffer[]): number
}

export interface SortedRequest {
  readonly snapshot: Snapshot
  readonly prefix: string
  /** Those of the snapshot below the prefix that may match; all of them when absent. */
  readonly candidates?: Iterable<CachedObject>
  readonly order: ListOrder
  readonly filter?: ObjectFilter
  readonly filterWork?: ObjectWork
  /** Key of the last object of the page before. */
  readonly startAfter?: string
  /** 0: all of them, if they are not too many. */
  readonly limit: number
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: { readonly aborted: boolean }
}

export interface SortedPage {
  readonly items: readonly CachedObject[]
  /** Objects that follow the page. */
  readonly remaining: number
}

interface RankedObject {
  readonly object: CachedObject
  readonly keys: readonly Buffer[]
}

/** Called by list. Throws 422 for a list without limit that would be longer than `sortedObjectsMax`. */
export async function sortedPage(request: SortedRequest): Promise<SortedPage> {
  const { filter, filterWork = () => 0, limit, order, prefix, signal, snapshot } = request
  const size = Math.min(limit === 0 ? sortedObjectsMax : limit, sortedObjectsMax)
  const turns = new Turns()
  const kept = new TopObjects(size, turns, (left, right) => comparePlaced(order, left, right))
  const after = request.startAfter === undefined ? undefined : place(order, objectAt(snapshot, request.startAfter))
  for (const object of request.candidates ?? snapshot.entries({ prefix })) {
    // Asked first: both decode what is still to be decoded.
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

/** The snapshot is the one that the page before was taken from, so what ended that page is in it. */
function objectAt(snapshot: Snapshot, key: string): CachedObject {
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

/** The first so many of those offered, in twice their memory. */
class TopObjects {
  offered = 0
  private placed: RankedObject[] = []
  /** What comes behind it is not among the first. */
  private last: RankedObject | undefined

  constructor(
    private readonly size: number,
    private readonly turns: Turns,
    private readonly compare: (left: RankedObject, right: RankedObject) => number,
  ) {}

  /** True: there are so many that they have to be cut before the next one. */
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
