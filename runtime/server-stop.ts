/** The end of a server, in the opposite order of its start. No step waits without a bound. */
import type { Audit } from "./audit/audit.ts"
import { hurriedStepMs } from "./base/stop-limits.ts"
import { within, withinHurried } from "./base/within.ts"
import type { Controller } from "./controllers/controller.ts"
import type { Listener } from "./http/listen.ts"
import type { Clock } from "./base/clock.ts"
import type { Options } from "./options/table.ts"
import type { Store } from "./storage/store.ts"
import type { ServerParts } from "./server-parts.ts"
import type { WatchCache } from "./storage/watch-cache/watch-cache.ts"
import { yamlThread } from "./wire/yaml-thread.ts"

/** The waits of a stop. */
export interface StopOptions {
  /** Once aborted, the stop waits for no client: it cuts the connections and ends the rest in order. */
  readonly hurry?: AbortSignal
  /** Called once neither a client nor the backend of audit can delay the end. */
  readonly onDrained?: () => void
}

interface Stops {
  stop(): void
}

/** Options of the server that its stop uses. */
interface StartedWith {
  readonly options: Options
  readonly clock: Clock
  readonly store: Pick<Store, "close">
  readonly keepStore?: boolean
  readonly serving: Stops
  readonly authentication?: Stops
  readonly serviceAccounts?: Stops
  readonly authorization?: Stops
}

/** The parts of a running server that its stop ends. */
export interface Stoppable {
  readonly parts: ServerParts
  readonly loops: Pick<Controller, "stop">
  readonly listener: Pick<Listener, "close"> & Partial<Pick<Listener, "drain">>
  readonly audit: Audit | undefined
  readonly cache: Pick<WatchCache, "close">
  readonly draining: AbortController
  readonly rejecting: AbortController
  readonly stopping: AbortController
  readonly stopWatching: () => void
}

/**
 * Time limit for each start-up step that waits for the store, and for stopping controllers. After it, `/readyz` reports
 * what is missing, and closing the store fails the controllers' pending operations.
 */
export const patienceMs = 5000

/** Called once per server. */
export async function stopServer(how: StartedWith, running: Stoppable, { hurry, onDrained }: StopOptions): Promise<void> {
  const { audit, cache, parts } = running
  await endClients(how, running, hurry)
  parts.hooks.close()
  how.serving.stop()
  how.authentication?.stop()
  how.serviceAccounts?.stop()
  how.authorization?.stop()
  await audit?.stop(hurry)
  onDrained?.()
  await yamlThread.stop()
  await cache.close()
  if (how.keepStore !== true) await how.store.close()
  running.stopWatching()
  parts.loopDelay.stop()
}

async function endClients({ options, clock }: StartedWith, running: Stoppable, hurry: AbortSignal | undefined): Promise<void> {
  const { draining, listener, loops, parts, rejecting, stopping } = running
  const { inFlight } = parts
  draining.abort()
  listener.drain?.()
  if (options["shutdown-send-retry-after"]) {
    rejecting.abort()
    await within(options["request-timeout"], inFlight.drained("short"), clock, hurry)
  }
  await within(patienceMs, loops.stop(), clock, hurry)
  await within(options["shutdown-watch-termination-grace-period"], inFlight.drained("long"), clock, hurry)
  stopping.abort()
  await listener.close({ graceMs: options["request-timeout"], clock, ...(hurry !== undefined && { hurry }) })
  // Node closes a response shortly after its connection, and work that follows a request may still need the store.
  const ended = Promise.all([inFlight.drained("short"), inFlight.drained("long")])
  await withinHurried({ milliseconds: patienceMs, hurriedMs: hurriedStepMs, hurry }, ended, clock)
}
