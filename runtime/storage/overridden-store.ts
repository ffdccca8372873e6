/**
 * Routes single resources to stores of their own (`--store-servers-overrides`) and all other keys to the main store.
 * Each store has its own revisions; therefore the watch cache reads `overrides` and watches each store separately.
 * Calls without a key go to the main store.
 */
import { readLogOf } from "./log-reader.ts"
import type { Store, StoreOverride } from "./store.ts"
import { StoreError } from "./store.ts"

/**
 * Called once at start. `prefix` is the common beginning of all keys: `/registry/`. Closing the result closes all
 * stores.
 */
export function overrideStores(main: Store, overrides: readonly StoreOverride[], prefix: string): Store {
  const stores = [...new Set([main, ...overrides.map(({ store }) => store)])]
  const routes = overrides.map(({ path, store }) => ({ below: `${prefix}${path}/`, store }))
  const storeOf = (key: string): Store => routes.find(({ below }) => key.startsWith(below))?.store ?? main
  return {
    overrides,
    get: (options) => storeOf(options.key).get(options),
    list: (options) => storeOf(options.prefix).list(options),
    watch: (options) => storeOf(options.prefix).watch(options),
    readLog: (options) => readLogOf(storeOf(options.prefix), options),
    async commit(options) {
      const keys = [...options.checks, ...options.writes].map(({ key }) => key)
      const [store = main, ...others] = [...new Set(keys.map(storeOf))]
      if (others.length > 0)
        throw new StoreError("unavailable", `${keys.join(" and ")} change together, but --store-servers-overrides parts them`)
      return store.commit(options)
    },
    canCommitTogether: (one, other) => storeOf(one) === storeOf(other),
    revision: () => main.revision(),
    compact: (options) => main.compact(options),
    status: () => main.status(),
    async close() {
      await Promise.all(stores.map((store) => store.close()))
    },
    revisionNeedsRoundTrip: stores.some((store) => store.revisionNeedsRoundTrip === true),
    get reportsProgress() {
      return stores.every((store) => store.reportsProgress !== false)
    },
    advanceWatches: (revision, below) => storeOf(below).advanceWatches?.(revision, below),
    async check(options) {
      const faults = await Promise.all(
        stores.map(async (store) => (store.check === undefined ? (await store.status()).fault : store.check(options))),
      )
      return faults.find((fault) => fault !== undefined)
    },
    async count(options) {
      const store = storeOf(options.prefix)
      return store.count === undefined ? (await store.list(options)).items.length : store.count(options)
    },
    acquireCompactionTurn: async (revision) => (await main.acquireCompactionTurn?.(revision)) ?? true,
  }
}
