/** Everything a running server is made of, put together once by `server.ts` and read by filters and verbs. */
import type { Logger } from "pino"
import type { Authenticator } from "./access/authenticate.ts"
import type { Authorizer } from "./access/authorize.ts"
import type { Clock } from "./clock.ts"
import type { HealthChecks } from "./discovery/health.ts"
import type { Random } from "./random.ts"
import type { KindTable } from "./registry/kinds.ts"
import type { Registry } from "./registry/registry.ts"
import type { Vendor } from "./vendor.ts"

/** Option values that the request path reads. */
export interface Settings {
  /** `--anonymous-auth` */
  readonly anonymousAuth: boolean
  /** `--request-timeout` */
  readonly requestTimeoutMs: number
  /** `--min-request-timeout`: watches last this long, to twice this long. */
  readonly minRequestTimeoutMs: number
  /** Gate `WatchList`: `sendInitialEvents` on watches. */
  readonly watchList: boolean
  /** Gate `APIResponseCompression`. */
  readonly compressResponses: boolean
}

export interface ServerParts {
  readonly vendor: Vendor
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly settings: Settings
  readonly kinds: KindTable
  readonly registry: Registry
  readonly authenticators: readonly Authenticator[]
  readonly authorizers: readonly Authorizer[]
  readonly health: HealthChecks
  /** Documents of the OpenAPI, neutral, as the generator wrote them: `v2`, `v3/api/v1`, `v3/apis/apps/v1` → JSON text. */
  readonly openapi: ReadonlyMap<string, () => Promise<Buffer>>
  /** Aborted when the server stops: watches end. */
  readonly stopping: AbortSignal
}
