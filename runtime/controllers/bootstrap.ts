/** Creates the objects that every cluster has when the server starts, and maintains them while it runs. */
import { runEvery } from "./interval.ts"
import { errorText } from "../base/error-text.ts"
import type { ControllerDeps, Controller } from "./controller.ts"
import { ensureFlowControl } from "./flow-control/keep-objects.ts"
import { endLease, liveAddresses, renewLease } from "./server-leases.ts"
import {
  ensureEndpoints,
  ensureEndpointSlice,
  ensureNamespaces,
  ensurePriorityClasses,
  ensureService,
  isReachable,
} from "./system-objects.ts"

export interface BootstrapOptions {
  /** `--advertise-address`, or the address used instead. */
  readonly address: string
  readonly port: number
  /** Whether other servers write to the same store: the endpoints then list all live servers. */
  readonly shared: boolean
}

export interface Bootstrap extends Controller {
  /** Resolves when all objects exist for the first time. Failures are retried every second. */
  readonly done: Promise<void>
  /** The reason why it is not done yet; undefined once it is. Read by the readiness check. */
  fault(): string | undefined
  /** The reason for one step. */
  faultOf(step: BootstrapStep): string | undefined
}

/** Steps of the bootstrap, in this order. */
export type BootstrapStep = "namespaces" | "priorityClasses" | "service" | "flowControl"

/** For servers that share a store: a lease must be renewed well before it expires. The reference's interval. */
const leaseIntervalMs = 10_000
/** For a server without others: only objects that users delete must be created again. */
const intervalMs = 60_000
const retryMs = 1000

/** Called once when the server listens. Idempotent, and safe on several servers at once. */
export function startBootstrap(deps: ControllerDeps, options: BootstrapOptions): Bootstrap {
  const { clock, log } = deps
  let finish: () => void = () => {}
  let fault: string | undefined = "not finished"
  const made = new Set<BootstrapStep>()
  const step = async (name: BootstrapStep, work: () => Promise<void>): Promise<void> => {
    await work()
    made.add(name)
  }
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })
  const loop = runEvery({
    clock,
    intervalMs: options.shared ? leaseIntervalMs : intervalMs,
    retryMs,
    atOnce: true,
    async task() {
      await step("namespaces", () => ensureNamespaces(deps))
      await step("priorityClasses", () => ensurePriorityClasses(deps))
      await step("service", async () => {
        await ensureService(deps, options)
        await ensureAddresses(deps, { addresses: await addressesOf(deps, options), port: options.port })
      })
      await step("flowControl", () => ensureFlowControl(deps))
      fault = undefined
      finish()
    },
    onError(error) {
      if (fault !== undefined) fault = `not finished: ${errorText(error)}`
      log.warn({ error: errorText(error) }, "the system objects could not be created or checked; retrying later")
    },
  })
  return {
    done,
    fault: () => fault,
    faultOf: (name) => (made.has(name) ? undefined : (fault ?? "not finished")),
    async stop() {
      await loop.stop()
      if (options.shared && isReachable(options.address)) await leave(deps, options)
    },
  }
}

/** Makes the addresses at which clients in the cluster reach the servers. */
async function ensureAddresses(deps: ControllerDeps, where: { addresses: readonly string[]; port: number }): Promise<void> {
  await ensureEndpoints(deps, where)
  await ensureEndpointSlice(deps, where)
}

async function addressesOf({ registry }: ControllerDeps, { address, shared }: BootstrapOptions): Promise<readonly string[]> {
  if (!shared || !isReachable(address)) return [address]
  await renewLease(registry, address)
  return liveAddresses(registry)
}

/**
 * Removes this server from the endpoints, so that clients use the others. The last server stays listed, since there is
 * no other.
 */
async function leave(deps: ControllerDeps, { address, port }: BootstrapOptions): Promise<void> {
  const { registry, log } = deps
  try {
    await endLease(registry, address)
    await ensureAddresses(deps, { addresses: await liveAddresses(registry), port })
  } catch (error) {
    log.warn({ error: errorText(error) }, "this server's address could not be taken out of the endpoints; its lease runs out by itself")
  }
}
