/** What a list asks of each object. */
import type { CachedObject } from "../storage/cache.ts"

/** Says whether a list or watch shows an object. */
export type ObjectFilter = (object: CachedObject) => boolean

/** What it takes to do something with an object, in microseconds; see base/work.ts. */
export type ObjectWork = (object: CachedObject) => number
