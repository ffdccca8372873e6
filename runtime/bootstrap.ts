/** What a server sees to when it starts, and keeps in order while it runs: the objects that every cluster has. */
import { every } from "./background/every.ts"
import { type BackgroundDeps, type Loop, textOfError } from "./background/loop.ts"
import { endLease, liveAddresses, renewLease } from "./background/server-leases.ts"
import { ensureEndpoints, ensureNamespaces, ensureService, isReachable } from "./background/system-objects.ts"

export interface BootstrapOptions {
  /** `--advertise-address`, or what stands for it. */
  readonly address: string
  readonly port: number
  /** Other servers write to the same store: the endpoints are those of all that are alive, not of this one alone. */
  readonly shared: boolean
}

export interface Bootstrap extends Loop {
  /** Resolves when everything was there for the first time; what fails is tried again every second. */
  readonly done: Promise<void>
  /** Why it is not done yet; undefined once it is. Read by the readiness check. */
  fault(): string | undefined
}

/** Of servers that share a store: a lease has to be renewed well before it runs out. The reference's interval. */
const leaseIntervalMs = 10_000
/** Of a server on its own: only what people delete has to be made again. */
const intervalMs = 60_000
const retryMs = 1000

/** Called once when the server listens. Idempotent, and safe on several servers at once. */
export function startBootstrap(deps: BackgroundDeps, options: BootstrapOptions): Bootstrap {
  const { registry, clock, log } = deps
  let finish: () => void = () => {}
  let fault: string | undefined = "not finished"
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })
  const loop = every({
    clock,
    intervalMs: options.shared ? leaseIntervalMs : intervalMs,
    retryMs,
    atOnce: true,
    async task() {
      await ensureNamespaces(registry)
      await ensureService(registry, options)
      await ensureEndpoints(registry, { addresses: await addressesOf(deps, options), port: options.port })
      fault = undefined
      finish()
    },
    onError(error) {
      if (fault !== undefined) fault = `not finished: ${textOfError(error)}`
      log.warn({ error: textOfError(error) }, "the objects of the system could not be made or checked; tried again later")
    },
  })
  return {
    done,
    fault: () => fault,
    async stop() {
      await loop.stop()
      if (options.shared && isReachable(options.address)) await leave(deps, options)
    },
  }
}

async function addressesOf({ registry }: BackgroundDeps, { address, shared }: BootstrapOptions): Promise<readonly string[]> {
  if (!shared || !isReachable(address)) return [address]
  await renewLease(registry, address)
  return liveAddresses(registry)
}

/** Clients are sent to the others from now on. The last one stays in the endpoints: nobody is better than it. */
async function leave({ registry, log }: BackgroundDeps, { address, port }: BootstrapOptions): Promise<void> {
  try {
    await endLease(registry, address)
    await ensureEndpoints(registry, { addresses: await liveAddresses(registry), port })
  } catch (error) {
    log.warn({ error: textOfError(error) }, "this server's address could not be taken out of the endpoints; its lease runs out by itself")
  }
}
