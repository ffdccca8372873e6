/** Values of `--watch-cache-sizes`. */
import type { ValueType } from "./value-types.ts"

/** The size for one resource. Release 1.30 sizes caches by itself, so only 0 has a meaning: no cache. */
export interface WatchCacheSize {
  /** "" is the core group; written as clients write it. */
  readonly group: string
  readonly resource: string
  readonly size: number
}

/** `deployments.apps#0`, or `events#0` in the core group: the resource up to the first dot, then its group. */
export const watchCacheSize: ValueType<WatchCacheSize> = {
  word: "resource[.group]#size",
  expected: "resource[.group]#size with a size of 0 or more, such as events#0 or deployments.apps#0",
  expectedValue: 'an object such as { group: "apps", resource: "deployments", size: 0 }',
  parse(value) {
    const [, resource, group = "", size] = /^([^.#]+)(?:\.([^#]+))?#(\d{1,9})$/.exec(value) ?? []
    return resource === undefined || size === undefined ? undefined : { group, resource, size: Number(size) }
  },
  format: ({ group, resource, size }) => `${resource}${group === "" ? "" : `.${group}`}#${size}`,
}
