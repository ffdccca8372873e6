/** Types shared by all controllers. Controllers never throw: they log errors and retry. */
import type { Clock } from "../base/clock.ts"
import type { Api } from "../../generated/api.ts"
import type { serverUser } from "../admission/server-identity.ts"
import type { Registry } from "../registry/registry.ts"
import type { ObjectClient } from "../schema/object-client.ts"

/** Receives errors; a pino logger is one. */
export interface Log {
  warn(values: object, text: string): void
}

/** The operations on the kinds that controllers create or read by name. */
export type SystemApi = Pick<
  Api,
  "apiregistration" | "batch" | "certificates" | "coordination" | "core" | "discovery" | "flowcontrol" | "rbac" | "scheduling"
>

export interface ControllerDeps {
  readonly registry: Registry
  /** Makes the operations in the name of a user of the server itself. */
  readonly api: (user: typeof serverUser) => SystemApi
  /** The same for kinds that a server may not have. */
  readonly client: (user: typeof serverUser) => ObjectClient
  /** Makes the meters of work queues. Absent: nothing is measured. */
  readonly meters?: QueueMeters
  readonly clock: Clock
  readonly log: Log
}

/** What happens to the keys of one work queue, for metrics. */
export interface QueueMeter {
  added(): void
  /** A worker took a key that had waited this long. Returns what is called when the work has ended. */
  begun(waitedMs: number): () => void
  retried(): void
}

/** Makes the meter of a queue by the name that the reference's metrics give it. */
export type QueueMeters = (queue: string) => QueueMeter

/** Background work that continues until it is stopped. */
export interface Controller {
  /** Stops the work. Resolves once none of it is running any more. */
  stop(): Promise<void>
  /** Resolves when the objects are there without which a start is not complete. Absent: there are none. */
  readonly made?: Promise<void>
}
