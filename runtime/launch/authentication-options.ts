import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { AccessMetrics } from "../observability/access-metrics.ts"
import type { Options } from "../options/table.ts"

/** The inputs of authenticators. */
export interface AuthenticationOptions {
  readonly options: Options
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
  /** Issuers of tokens of service accounts. */
  readonly accountIssuers: readonly string[]
  readonly metrics: AccessMetrics
  /** The authority that issues the administrator's certificate, PEM: trusted beside `--client-ca-file`. */
  readonly ownAuthority?: string | undefined
}
