/** Starts and stops all controllers of a server. */
import { startCompaction } from "./compaction.ts"
import { startDefinitionController } from "./definitions/definition-controller.ts"
import { startGarbageCollector } from "./garbage/garbage-collector.ts"
import { startLeaderElection } from "./leader-election.ts"
import type { ControllerDeps, Controller } from "./controller.ts"
import type { Options } from "../options/table.ts"
import { startNamespaceController } from "./namespace/namespace-controller.ts"
import { startRangeRepair } from "./ip-repair.ts"
import { type MeasureOptions, startStorageMeasures, storesOf } from "./storage-metrics.ts"

export interface ControllerOptions extends MeasureOptions {
  readonly options: Options
  /** Identity of this server among those of a shared store. Absent: it is the only one and runs all controllers. */
  readonly identity?: string
  /** The kinds of all definitions are served: without them, what has content would look empty. */
  readonly kindsKnown: Promise<void>
}

/**
 * Called once when the server listens. Only one server of a store runs the controllers that change objects. For
 * compaction the servers take turns through the reference's key (`Store.acquireCompactionTurn`), and expiry needs no
 * controller.
 */
export function startControllers(deps: ControllerDeps, { options, identity, kindsKnown, ...measures }: ControllerOptions): Controller {
  const { registry, clock, log } = deps
  const intervalMs = options["store-compaction-interval"]
  const start = (): Controller => startAfter(kindsKnown, () => startWritingControllers(deps, options))
  return together([
    identity === undefined ? start() : startLeaderElection(deps, { identity, start }),
    startStorageMeasures(deps, { options, ...measures }),
    ...storesOf(registry.deps.store).map((store) => startCompaction({ store, clock, log, intervalMs })),
  ])
}

/** The controllers that change objects. */
function startWritingControllers(deps: ControllerDeps, options: Options): Controller {
  const services = deps.registry.deps.kinds.find("", "v1", "services")
  return together([
    startNamespaceController(deps),
    startDefinitionController(deps),
    ...(options["enable-garbage-collector"] ? [startGarbageCollector(deps, { workers: options["concurrent-gc-syncs"] })] : []),
    ...(services === undefined ? [] : [startRangeRepair(deps)]),
  ])
}

/** Does not start if it is stopped before. */
function startAfter(ready: Promise<void>, start: () => Controller): Controller {
  let isStopped = false
  let started: Controller | undefined
  void ready.then(() => {
    if (!isStopped) started = start()
  })
  return {
    async stop() {
      isStopped = true
      await started?.stop()
    },
  }
}

function together(controllers: readonly Controller[]): Controller {
  return {
    async stop() {
      await Promise.all(controllers.map((loop) => loop.stop()))
    },
  }
}
