/** One state of a resource. */
import type { CachedEntry } from "./entry.ts"
import type { ObjectMap } from "./object-map.ts"

/** The objects of one resource by key. */
export type Objects = ObjectMap<CachedEntry>
