/** The options of the watch cache, and its log messages. */
import type { UndecodableError } from "../storage/cache.ts"
import type { Logger } from "pino"
import type { Kind } from "../schema/kind.ts"
import type { Options } from "../options/table.ts"
import type { Verification } from "../storage/watch-cache/verification.ts"
import { vendorProfile } from "../base/vendor.ts"

interface Served {
  readonly kinds: readonly Kind[]
  readonly log: Logger
  readonly options: Pick<Options, "vendor" | "watch-cache" | "watch-cache-sizes">
}

/**
 * Called once at start. Returns a predicate of storage paths: whether clients read the resource from the store. A kind
 * decides this (`storage: {cached: false}`) unless `--watch-cache-sizes` does: 0 turns its cache off, any other size
 * turns it on. Logs entries of the options that have no effect.
 */
export function pathsReadFromStore({ kinds, log, options }: Served): (path: string) => boolean {
  if (!options["watch-cache"]) return () => true
  const { neutralGroup } = vendorProfile(options.vendor)
  const paths = new Set(kinds.flatMap(({ storage }) => (storage.uncached === true ? [storage.path] : [])))
  for (const { group, resource, size } of options["watch-cache-sizes"]) {
    const named = kinds.filter((kind) => kind.resource === resource && kind.group === neutralGroup(group))
    if (named.length === 0) log.warn({ group, resource }, "--watch-cache-sizes names a resource that is not served here")
    else if (size === 0) for (const { storage } of named) paths.add(storage.path)
    else if (!named.some(({ storage }) => paths.delete(storage.path)))
      log.warn({ group, resource, size }, "--watch-cache-sizes: caches have the size they need; only 0 means something")
  }
  return (path) => paths.has(path)
}

/** Logs a mismatch between cache and store. Called for each one. */
export function logMismatch(log: Logger, { resource, revision, cacheHash, storeHash }: Verification): void {
  log.error(
    { resource, resourceVersion: revision, cacheHash, storeHash },
    "the watch cache differs from the store: its watches end, and the resource is read again",
  )
}

/** Logs a stored value that cannot be decoded. Called once for each. */
export function logUndecodable(log: Logger, { key, modRevision, why }: UndecodableError): void {
  log.error(
    { storedAt: key, resourceVersion: modRevision, why },
    "a stored value cannot be read; gets and lists of it fail until it is removed or mended",
  )
}
