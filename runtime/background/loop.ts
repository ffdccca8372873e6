/** What all background work has in common. Loops never throw: faults are logged and tried again. */
import type { Clock } from "../clock.ts"
import type { Registry } from "../registry/registry.ts"

/** Where faults are told; a pino logger is one. */
export interface Log {
  warn(values: object, text: string): void
}

export interface BackgroundDeps {
  readonly registry: Registry
  readonly clock: Clock
  readonly log: Log
}

/** Work that goes on until it is stopped. */
export interface Loop {
  /** Resolves once nothing of it runs any more. */
  stop(): Promise<void>
}

/** The text of whatever was thrown, for logs. */
export function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
