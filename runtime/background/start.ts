/** Starts and stops all controllers of a server. */
import { startCompaction } from "./compaction.ts"
import { startGarbageCollector } from "./garbage-collector.ts"
import { startAsLeader } from "./leader.ts"
import type { BackgroundDeps, Loop } from "./loop.ts"
import type { Options } from "../options/table.ts"
import { startNamespaceEmptying } from "./namespace-emptying.ts"
import { startRangeRepair } from "./range-repair.ts"
import { type MeasureOptions, startStorageMeasures, storesOf } from "./storage-measures.ts"

export interface BackgroundOptions extends MeasureOptions {
  readonly options: Options
  /** Identity of this server among those of a shared store. Absent: it is the only one and runs all controllers. */
  readonly identity?: string
}

/**
 * Called once when the server listens. Only one server of a store runs the controllers that change objects. For
 * compaction the servers take turns through the reference's key (`Store.takeTurnToCompact`), and expiry needs no
 * controller.
 */
export function startBackground(deps: BackgroundDeps, { options, identity, ...measures }: BackgroundOptions): Loop {
  const { registry, clock, log } = deps
  const intervalMs = options["store-compaction-interval"]
  const start = (): Loop => startChanging(deps, options)
  return together([
    identity === undefined ? start() : startAsLeader(deps, { identity, start }),
    startStorageMeasures(deps, { options, ...measures }),
    ...storesOf(registry.deps.store).map((store) => startCompaction({ store, clock, log, intervalMs })),
  ])
}

/** The controllers that change objects. */
function startChanging(deps: BackgroundDeps, options: Options): Loop {
  const services = deps.registry.deps.kinds.find("", "v1", "services")
  return together([
    startNamespaceEmptying(deps),
    ...(options["enable-garbage-collector"] ? [startGarbageCollector(deps, { workers: options["concurrent-gc-syncs"] })] : []),
    ...(services === undefined ? [] : [startRangeRepair(deps)]),
  ])
}

function together(loops: readonly Loop[]): Loop {
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
