/** Starts and stops all controllers of a server. */
import type { Signing } from "./certificates/signers.ts"
import { startCompaction } from "./compaction.ts"
import { startLeaderElection } from "./leader-election.ts"
import type { ControllerDeps, Controller } from "./controller.ts"
import type { Options } from "../options/table.ts"
import { type MeasureOptions, startStorageMeasures, storesOf } from "./storage-metrics.ts"
import type { ControllerRow } from "./table.ts"

export interface ControllerOptions extends MeasureOptions {
  readonly options: Options
  /** Those that change objects, as `chooseControllers` returns them. */
  readonly chosen: readonly ControllerRow[]
  /** Identity of this server among those of a shared store. Absent: it is the only one and runs all controllers. */
  readonly identity?: string
  /** The kinds of all definitions are served: without them, what has content would look empty. */
  readonly kindsKnown: Promise<void>
  /** The certificate that programs in the cluster must trust, PEM. */
  readonly rootCa?: string
  /** What certificates are signed with. */
  readonly signing?: Signing
}

/**
 * Called once when the server listens. Only one server of a store runs the controllers that change objects. For
 * compaction the servers take turns through the reference's key (`Store.acquireCompactionTurn`), and expiry needs no
 * controller.
 */
export function startControllers(deps: ControllerDeps, how: ControllerOptions): Controller {
  const { chosen, identity, kindsKnown, rootCa, signing, ...measures } = how
  const { options } = measures
  const { registry, clock, log } = deps
  const intervalMs = options["store-compaction-interval"]
  const inputs = { deps, options, ...(rootCa !== undefined && { rootCa }), ...(signing !== undefined && { signing }) }
  const start = (): Controller => startAfter(kindsKnown, () => together(chosen.map((row) => row.start(inputs))))
  return together([
    identity === undefined ? start() : startLeaderElection(deps, { identity, start }),
    startStorageMeasures(deps, measures),
    ...storesOf(registry.deps.store).map((store) => startCompaction({ store, clock, log, intervalMs })),
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
