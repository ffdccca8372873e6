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
  /** Makes the operations for a user of the server itself. */
  readonly api: (user: typeof serverUser) => SystemApi
  /** The same for kinds that a server may not have. */
  readonly client: (user: typeof serverUser) => ObjectClient
  /** Makes the meters of work queues. Absent: nothing is measured. */
  readonly meters?: QueueMeters
  readonly clock: Clock
  readonly log: Log
}

/** Counts the events of one work queue's keys, for metrics. */
export interface QueueMeter {
  added(): void
  /** Called when a worker takes a key that has waited this long. Returns a function to call when the work has ended. */
  begun(waitedMs: number): () => void
  retried(): void
}

/** Makes the meter of a queue, by its name in the reference's metrics. */
export type QueueMeters = (queue: string) => QueueMeter

/** Background work that continues until it is stopped. */
export interface Controller {
  /** Stops the work. Resolves once all of it has ended. */
  stop(): Promise<void>
  /** Resolves when the objects that a complete start requires exist. Absent: there are none. */
  readonly made?: Promise<void>
}
