import type { Step } from "../http/env.ts"

/** Forbids caches to keep answers. Documents that may be kept replace the field. */
export function cacheControl(): Step {
  return function cacheControl({ outgoing }) {
    outgoing.setHeader("cache-control", "no-cache, private")
    return undefined
  }
}
