import type { Step } from "../http/env.ts"

/** Forbids caches to keep answers. Cacheable documents replace the field. */
export function cacheControl(): Step {
  return function cacheControl({ outgoing }) {
    outgoing.setHeader("cache-control", "no-cache, private")
    return undefined
  }
}
