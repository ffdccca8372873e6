/** Lists of a kind whose versions another server converts: selectors and orders see the version of the request. */
import { Turns } from "../base/turns.ts"
import { lookWork, readWork } from "../base/work.ts"
import type { CachedObject, ObjectRange, Snapshot } from "../storage/cache.ts"
import type { ObjectFilter } from "./object-filter.ts"
import { inBatches, type VersionConversion } from "./version-conversion.ts"

/** The part of a list request that decides which objects it reads. */
interface Asked {
  readonly filter?: ObjectFilter
  /** 0: no limit. */
  readonly limit: number
  /** Absent: the order of the keys. */
  readonly order?: object
  readonly signal?: { readonly aborted: boolean }
}

/**
 * The objects among which a list finds its page: for a sorted list all that pass its filter, for another one with a
 * filter up to one more than its limit. Without order and filter, none: the page is converted once it is known.
 */
export async function convertedCandidates(
  conversion: VersionConversion,
  { snapshot, range, request }: { snapshot: Snapshot; range: { prefix: string; startAfter?: string }; request: Asked },
): Promise<{ candidates?: readonly CachedObject[]; filter?: ObjectFilter }> {
  const { filter, limit, order, signal } = request
  if (filter === undefined && order === undefined) return {}
  const isEnough = (count: number): boolean => order === undefined && limit > 0 && count > limit
  const candidates: CachedObject[] = []
  const turns = new Turns()
  for (const batch of inBatches(snapshot.entries(range))) {
    for (const object of await conversion.present(batch)) {
      // Before the filter, which may decode the object and so make it look cheap.
      const work = filter === undefined ? lookWork : readWork(object)
      if (filter === undefined || filter(object)) candidates.push(object)
      if (turns.isOver(work)) await turns.next()
    }
    if (isEnough(candidates.length) || signal?.aborted === true) break
  }
  return { candidates }
}

/** The objects of a page, as in `ListPage`. */
interface PageContent {
  readonly items: Iterable<CachedObject>
  readonly runs?: Iterable<ObjectRange>
}

/** The objects of a page in the version of the request; with their runs if all of them are in that version. */
export async function presentPage(conversion: VersionConversion, { items, runs }: PageContent): Promise<PageContent> {
  if (runs === undefined) return { items: await conversion.present([...items]) }
  const ranges = [...runs]
  return ranges.every((run) => conversion.isOwnRange(run)) ? { items, runs: ranges } : { items: await conversion.present([...items]) }
}
