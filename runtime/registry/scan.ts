/** Goes through many objects in turns with other requests. */
import type { CachedObject } from "../storage/cache.ts"
import { Turns } from "../base/turns.ts"

/** Called for lists that look at every object. `work`: what a visit takes, in microseconds; `visit` answers whether to go on. */
export async function scan(
  objects: Iterable<CachedObject>,
  { work, signal }: { work: (object: CachedObject) => number; signal?: { readonly aborted: boolean } },
  visit: (object: CachedObject) => boolean,
): Promise<void> {
  const turns = new Turns()
  for (const object of objects) {
    // Asked first: a visit may decode what is still to be decoded.
    const taken = work(object)
    if (!visit(object)) return
    if (!turns.isOver(taken)) continue
    await turns.next()
    if (signal?.aborted === true) return
  }
}
