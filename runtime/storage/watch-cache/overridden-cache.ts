/** The cache over a store with overrides: one cache per store, each resource served by the cache of its store. */
import type { Store } from "../store.ts"
import type { CacheOptions } from "./options.ts"
import { openCache, type WatchCache } from "./watch-cache.ts"

/** Called once at start, with any store: without overrides it is `openCache`. */
export function openCaches(options: CacheOptions): WatchCache {
  const main = openCache(options)
  const { overrides = [] } = options.store
  if (overrides.length === 0) return main
  const byStore = new Map<Store, WatchCache>()
  const byPath = new Map<string, WatchCache>()
  for (const { path, store } of overrides) {
    const cache = byStore.get(store) ?? openCache({ ...options, store })
    byStore.set(store, cache)
    byPath.set(path, cache)
  }
  const all = [main, ...byStore.values()]
  const cacheOf = (path: string | undefined): WatchCache => (path === undefined ? undefined : byPath.get(path)) ?? main
  return {
    resource: (path, codec) => cacheOf(path).resource(path, codec),
    release: (path) => cacheOf(path).release(path),
    consistentRevision: (path) => cacheOf(path).consistentRevision(),
    delivered() {
      const late = all.flatMap((cache) => cache.delivered() ?? [])
      return late.length === 0 ? undefined : Promise.all(late).then(() => undefined)
    },
    fault: () => all.map((cache) => cache.fault()).find((fault) => fault !== undefined),
    undecodable: () => all.map((cache) => cache.undecodable()).find((error) => error !== undefined),
    healthy: () => all.every((cache) => cache.healthy()),
    verify: async () => (await Promise.all(all.map((cache) => cache.verify()))).flat(),
    checks: () => all.flatMap((cache) => cache.checks()),
    objects: () => all.flatMap((cache) => cache.objects()),
    derivedBytes: () => all.reduce((sum, cache) => sum + cache.derivedBytes(), 0),
    pagesBytes: () => all.reduce((sum, cache) => sum + cache.pagesBytes(), 0),
    gatheredBytes: () => all.reduce((sum, cache) => sum + cache.gatheredBytes(), 0),
    async close() {
      await Promise.all(all.map((cache) => cache.close()))
    },
  }
}
