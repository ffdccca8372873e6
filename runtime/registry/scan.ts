/** Visits many objects and yields to other requests in between. */
import type { CachedObject } from "../storage/cache.ts"
import { Turns } from "../base/turns.ts"

/** Called for lists that read every object. `work`: microseconds of a visit. `visit` returns whether to continue. */
export async function scan(
  objects: Iterable<CachedObject>,
  { work, signal }: { work: (object: CachedObject) => number; signal?: { readonly aborted: boolean } },
  visit: (object: CachedObject) => boolean,
): Promise<void> {
  const turns = new Turns()
  for (const object of objects) {
    // Before the visit, which may decode the object and so make it look cheap.
    const taken = work(object)
    if (!visit(object)) return
    if (!turns.isOver(taken)) continue
    await turns.next()
    if (signal?.aborted === true) return
  }
}
