/**
 * Measures the storage at intervals, so that a scrape of `/metrics` costs nothing: objects by resource and bytes by
 * store.
 */
import type { Store } from "../storage/store.ts"
import { isStored } from "../schema/kind.ts"
import type { Options } from "../options/table.ts"
import { runEvery } from "./interval.ts"
import { errorText } from "../base/error-text.ts"
import type { ControllerDeps, Controller } from "./controller.ts"

/** Counts of resources in the watch cache, by storage path; these need no request to the store. */
export interface CachedCounts {
  objects(): readonly { readonly resource: string; readonly count: number }[]
}

/** The latest measurements, for `/metrics`. */
export interface LatestMeasures {
  /** By the resource as clients name it, with its group: `deployments.apps`. -1: counting failed. */
  readonly objects: Map<string, number>
  /** By store: `etcd-0`; the stores of overrides follow with increasing numbers. */
  readonly bytes: Map<string, number>
}

/** Options of `startStorageMeasures`. */
export interface MeasureOptions {
  readonly measures: LatestMeasures
  readonly cache: CachedCounts
  readonly options: Pick<Options, "store-count-metric-poll-period" | "store-db-metric-poll-interval">
}

/** Called once when the server listens. */
export function startStorageMeasures(
  deps: Pick<ControllerDeps, "clock" | "log" | "registry">,
  { measures, cache, options }: MeasureOptions,
): Controller {
  const { clock, log, registry } = deps
  const { objects, bytes } = measures
  // 0: never.
  const countPeriodMs = options["store-count-metric-poll-period"]
  const bytesPeriodMs = options["store-db-metric-poll-interval"]
  const onError = (error: unknown): void => log.warn({ error: errorText(error) }, "the store could not be measured; tried again later")
  const controllers: Controller[] = []
  if (countPeriodMs > 0) {
    controllers.push(runEvery({ clock, intervalMs: countPeriodMs, atOnce: true, task: () => countObjects(deps, cache, objects), onError }))
  }
  if (bytesPeriodMs > 0) {
    const stores = storesOf(registry.deps.store)
    controllers.push(runEvery({ clock, intervalMs: bytesPeriodMs, atOnce: true, task: () => askBytes(stores, bytes), onError }))
  }
  return {
    async stop() {
      await Promise.all(controllers.map((loop) => loop.stop()))
    },
  }
}

/** The main store and the stores of single resources. */
export function storesOf(store: Store): readonly Store[] {
  return [...new Set([store, ...(store.overrides ?? []).map((override) => override.store)])]
}

async function countObjects(
  { registry }: Pick<ControllerDeps, "clock" | "log" | "registry">,
  cache: CachedCounts,
  objects: Map<string, number>,
): Promise<void> {
  const { kinds, store, storePrefix, vendor } = registry.deps
  const cached = new Map(cache.objects().map(({ resource, count }) => [resource, count]))
  // Bounded: one count per kind, which visits no object.
  for (const kind of kinds.all()) {
    if (!isStored(kind) || kinds.stored(kind) !== kind || !kind.verbs.includes("list")) continue
    const { path } = kind.storage
    const name = kind.group === "" ? kind.resource : `${kind.resource}.${vendor.group(kind.group)}`
    // An embedded store cannot count without reading, so it reports only resources that are in the cache.
    const count = cached.get(path) ?? (await store.count?.({ prefix: `${storePrefix}${path}/` }).catch(() => -1))
    if (count !== undefined) objects.set(name, count)
  }
}

async function askBytes(stores: readonly Store[], bytes: Map<string, number>): Promise<void> {
  // Bounded: the configuration has these stores.
  for (const [index, store] of stores.entries()) bytes.set(`etcd-${index}`, (await store.status()).sizeBytes)
}
