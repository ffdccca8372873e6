/** All loops of a server, started and stopped together. */
import { startCompaction } from "./compaction.ts"
import { startGarbageCollector } from "./garbage-collector.ts"
import type { BackgroundDeps, Loop } from "./loop.ts"
import { startNamespaceEmptying } from "./namespace-emptying.ts"
import { startRangeRepair } from "./range-repair.ts"
import { type MeasureOptions, startStorageMeasures, storesOf } from "./storage-measures.ts"

export interface BackgroundOptions extends MeasureOptions {
  /** `--enable-garbage-collector` */
  readonly garbageCollector: boolean
  /** `--concurrent-gc-syncs` */
  readonly collectorWorkers: number
  /** `--store-compaction-interval`; 0: never. */
  readonly compactionIntervalMs: number
}

/** Called once when the server listens. */
export function startBackground(deps: BackgroundDeps, options: BackgroundOptions): Loop {
  const { registry, clock, log } = deps
  const services = registry.deps.kinds.find("", "v1", "services")
  const loops: Loop[] = [
    startNamespaceEmptying(deps),
    ...(options.garbageCollector ? [startGarbageCollector(deps, { workers: options.collectorWorkers })] : []),
    ...(services === undefined ? [] : [startRangeRepair(deps)]),
    startStorageMeasures(deps, options),
    ...storesOf(registry.deps.store).map((store) => startCompaction({ store, clock, log, intervalMs: options.compactionIntervalMs })),
  ]
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
