/** Values of `--watch-cache-sizes`. */
import type { ValueType } from "./value-types.ts"

/** What one resource is given; release 1.30 sizes caches by itself, so that only 0 means something: no cache. */
export interface WatchCacheSize {
  /** "" is the core group; as clients write it. */
  readonly group: string
  readonly resource: string
  readonly size: number
}

/** `deployments.apps#0`, of the core group `events#0`: the resource up to the first dot, then its group. */
export const watchCacheSize: ValueType<WatchCacheSize> = {
  word: "resource[.group]#size",
  expected: "resource[.group]#size with a size of 0 or more, such as events#0 or deployments.apps#0",
  parse(value) {
    const [, resource, group = "", size] = /^([^.#]+)(?:\.([^#]+))?#(\d{1,9})$/.exec(value) ?? []
    return resource === undefined || size === undefined ? undefined : { group, resource, size: Number(size) }
  },
  format: ({ group, resource, size }) => `${resource}${group === "" ? "" : `.${group}`}#${size}`,
}
