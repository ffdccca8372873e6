/** Cuts one page out of a list, as objects or as ranges of neighbours. */
import type { CachedObject, ObjectRange } from "../storage/cache.ts"

/** The content of a page. */
export interface TakenPage {
  readonly items: Iterable<CachedObject>
  /** The same objects as ranges, if the page skips none between its first and its last. */
  readonly runs?: readonly ObjectRange[]
  readonly count: number
  readonly last: CachedObject | undefined
  /** More objects follow the page. */
  readonly more: boolean
}

/** Takes up to `limit` of the matching objects, and reads one more to know whether others follow. */
export function takeObjects(objects: Iterable<CachedObject>, limit: number): TakenPage {
  const items: CachedObject[] = []
  let more = false
  for (const object of objects) {
    if (items.length === limit) {
      more = true
      break
    }
    items.push(object)
  }
  return { items, count: items.length, last: items.at(-1), more }
}

/** As `takeObjects`, if every object matches: the cost depends on the number of ranges alone. */
export function takeRuns(all: Iterable<ObjectRange>, limit: number): TakenPage {
  const runs: ObjectRange[] = []
  let count = 0
  let more = false
  for (const run of all) {
    if (count === limit) {
      more = true
      break
    }
    const length = run.end - run.start
    more = length > limit - count
    runs.push(more ? beginningOf(run, limit - count) : run)
    count += more ? limit - count : length
    if (more) break
  }
  const last = runs.at(-1)
  return { runs, items: { [Symbol.iterator]: () => objectsOf(runs) }, count, last: last?.objects[last.end - 1], more }
}

function beginningOf({ objects, start }: ObjectRange, length: number): ObjectRange {
  return { objects, start, end: start + length, encoded: () => undefined }
}

function* objectsOf(runs: readonly ObjectRange[]): Generator<CachedObject> {
  for (const { end, objects, start } of runs) {
    for (let index = start; index < end; index++) {
      const object = objects[index]
      if (object !== undefined) yield object
    }
  }
}
