/** Starts and stops all controllers of a server. */
import type { Signing } from "./certificates/signers.ts"
import { startCompaction } from "./compaction.ts"
import { startLeaderElection } from "./leader-election.ts"
import type { ControllerDeps, Controller } from "./controller.ts"
import type { Options } from "../options/table.ts"
import { startAfter } from "./start-after.ts"
import { type MeasureOptions, startStorageMeasures, storesOf } from "./storage-metrics.ts"
import type { ControllerInputs, ControllerRow } from "./table.ts"

export interface ControllerOptions extends MeasureOptions {
  readonly options: Options
  /** Controllers that change objects, as returned by `chooseControllers`. */
  readonly chosen: readonly ControllerRow[]
  /**
   * Identity of this server among the servers of a shared store. Absent: it is the only one and runs all controllers.
   */
  readonly identity?: string
  /** Resolves when the kinds of all definitions are served: before that, namespaces with objects could look empty. */
  readonly kindsKnown: Promise<void>
  /** PEM of the certificate that programs in the cluster must trust. */
  readonly rootCa?: string
  /** Keys that sign certificates. */
  readonly signing?: Signing
  /** As in `ControllerInputs`. */
  readonly policyMade: Promise<void>
}

/** Controllers that have been started. */
export interface StartedControllers extends Controller {
  /** With a shared store, resolved at once, since another server may run the controllers. */
  readonly made: Promise<void>
}

/**
 * Called once when the server listens. Only one server of a store runs the controllers that change objects. For
 * compaction the servers take turns through the reference's key (`Store.acquireCompactionTurn`), and expiry needs no
 * controller.
 */
export function startControllers(deps: ControllerDeps, how: ControllerOptions): StartedControllers {
  const { chosen, identity, kindsKnown, rootCa, signing, policyMade, ...measures } = how
  const { options } = measures
  const { registry, clock, log } = deps
  const intervalMs = options["store-compaction-interval"]
  const inputs = { deps, options, policyMade, ...(rootCa !== undefined && { rootCa }), ...(signing !== undefined && { signing }) }
  const start = (): Controller => startAfter(kindsKnown, () => startAll(chosen, inputs))
  return together([
    identity === undefined ? start() : startLeaderElection(deps, { identity, start }),
    startStorageMeasures(deps, measures),
    ...storesOf(registry.deps.store).map((store) => startCompaction({ store, clock, log, intervalMs })),
  ])
}

function startAll(chosen: readonly ControllerRow[], inputs: ControllerInputs): Controller {
  return together(chosen.map(({ after, start }) => (after === undefined ? start(inputs) : startAfter(after(inputs), () => start(inputs)))))
}

function together(controllers: readonly Controller[]): StartedControllers {
  return {
    made: Promise.all(controllers.map(({ made }) => made)).then(() => undefined),
    async stop() {
      await Promise.all(controllers.map((loop) => loop.stop()))
    },
  }
}
