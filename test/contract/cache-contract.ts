/**
 * The guarantees of the watch cache in front of any store driver, as one suite. Callers: `cache-<driver>.test.ts`.
 * After every case each filled resource is compared with the store by hash.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Store } from "../../runtime/storage/store.ts"
import type { CacheLimits } from "../../runtime/storage/watch-cache/options.ts"
import { openCache } from "../../runtime/storage/watch-cache/watch-cache.ts"
import type { WatchCache } from "../../runtime/storage/watch-cache/watch-cache.ts"
import { catchUpCases } from "./cache-catch-up.ts"
import { bytesCases } from "./cache-bytes.ts"
import { settle, settleUntil } from "./cache-fixtures.ts"
import { historyCases } from "./cache-history.ts"
import { randomCases } from "./cache-random.ts"
import { readCases } from "./cache-read.ts"
import { recoveryCases } from "./cache-recovery.ts"
import { watchCases } from "./cache-watch.ts"
import { unreliable } from "./cache-unreliable.ts"
import type { UnreliableStore } from "./cache-unreliable.ts"
import type { StorePlace } from "./store-fixture.ts"
import type { CacheCases } from "./cache-cases.ts"

const groups: Record<string, CacheCases> = {
  read: readCases,
  watch: watchCases,
  history: historyCases,
  "catching up": catchUpCases,
  bytes: bytesCases,
  recovery: recoveryCases,
  random: randomCases,
}

/** Called once per driver at the top level of its test file. */
export function cacheContract(options: { driver: string; place(): Promise<StorePlace> }): void {
  describe(`watch cache contract: ${options.driver}`, () => {
    for (const [group, cases] of Object.entries(groups)) describe(group, () => registerCases(options, cases))
  })
}

function registerCases(options: { place(): Promise<StorePlace> }, cases: CacheCases): void {
  let place: StorePlace
  let inner: Store
  let store: UnreliableStore
  let caches: WatchCache[] = []
  beforeEach(async () => {
    place = await options.place()
    settleUntil(place.quiet)
    inner = await place.open()
    store = unreliable(inner)
    caches = []
  })
  afterEach(async () => {
    await settle()
    for (const cache of caches) {
      for (const { matches, resource } of await cache.verify()) expect(matches, `${resource} is as in the store`).toBe(true)
      await cache.close()
    }
    await inner.close()
    await place.dispose?.()
  })
  function open(limits: Partial<CacheLimits> = {}): WatchCache {
    const cache = openCache({ store, prefix: "/registry/", clock: place.clock, limits })
    caches.push(cache)
    return cache
  }
  for (const [name, run] of Object.entries(cases)) test(name, () => run({ store, place, open }))
}
