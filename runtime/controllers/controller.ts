/** Types shared by all controllers. Controllers never throw: they log errors and retry. */
import type { Clock } from "../base/clock.ts"
import type { Api } from "../../generated/api.ts"
import type { serverUser } from "../admission/server-identity.ts"
import type { Registry } from "../registry/registry.ts"

/** Receives errors; a pino logger is one. */
export interface Log {
  warn(values: object, text: string): void
}

/** The operations on the kinds that controllers create or read by name. */
export type SystemApi = Pick<Api, "coordination" | "core">

export interface ControllerDeps {
  readonly registry: Registry
  /** Makes the operations in the name of a user of the server itself. */
  readonly api: (user: typeof serverUser) => SystemApi
  readonly clock: Clock
  readonly log: Log
}

/** Background work that continues until it is stopped. */
export interface Controller {
  /** Stops the work. Resolves once none of it is running any more. */
  stop(): Promise<void>
}

/** Returns a text for any thrown value, for logs. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
