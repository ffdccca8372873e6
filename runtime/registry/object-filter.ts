/** Functions that a list calls for each object. */
import type { CachedObject } from "../storage/cache.ts"

/** Whether a list or watch shows an object. */
export type ObjectFilter = (object: CachedObject) => boolean

/** The time that an operation on an object takes, in microseconds; see base/work.ts. */
export type ObjectWork = (object: CachedObject) => number
