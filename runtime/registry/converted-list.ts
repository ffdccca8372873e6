/** Lists of a kind whose versions another server converts: selectors and orders see the version of the request. */
import type { CachedObject, Snapshot } from "../storage/cache.ts"
import type { ObjectFilter } from "./object-filter.ts"
import type { ListPage, ListRequest } from "./read.ts"
import { inBatches, type VersionConversion } from "./version-conversion.ts"

/**
 * The objects among which a list finds its page. Sorted lists get all of them and the filter; others with a filter those
 * that pass it, up to one more than the limit. Without either the page is converted when it is known.
 */
export async function convertedCandidates(
  conversion: VersionConversion,
  { snapshot, range, request }: { snapshot: Snapshot; range: { prefix: string; startAfter?: string }; request: ListRequest },
): Promise<{ candidates?: readonly CachedObject[]; filter?: ObjectFilter }> {
  const { filter, limit, order, signal } = request
  if (filter === undefined && order === undefined) return {}
  const isEnough = (count: number): boolean => order === undefined && limit > 0 && count > limit
  const candidates: CachedObject[] = []
  for (const batch of inBatches(snapshot.entries(range))) {
    for (const object of await conversion.present(batch)) if (filter === undefined || filter(object)) candidates.push(object)
    if (isEnough(candidates.length) || signal?.aborted === true) break
  }
  return { candidates }
}

/** The page in the version of the request; the same page if all of its objects are. */
export async function presentPage(conversion: VersionConversion, page: ListPage): Promise<ListPage> {
  const { items, runs, ...rest } = page
  if (runs !== undefined && [...runs].every((run) => conversion.isOwnRange(run))) return page
  return { ...rest, items: await conversion.present([...items]) }
}
