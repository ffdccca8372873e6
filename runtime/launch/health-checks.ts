/** What `/healthz`, `/livez` and `/readyz` of a server check, and the components that it reports. */
import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import { vendorProfile } from "../base/vendor.ts"
import { bootstrapCheck, type KnownPolicy } from "../controllers/rbac/bootstrap-check.ts"
import { storesOf } from "../controllers/storage-metrics.ts"
import { componentChecks } from "../observability/components.ts"
import { cachedCheck, type HealthCheck, type HealthChecks, loggedCheck } from "../observability/health.ts"
import type { Options } from "../options/table.ts"
import type { Store } from "../storage/store.ts"

/** What the checks are made from: parts of `ServerOptions`. */
export interface CheckedServer {
  readonly options: Options
  readonly clock: Clock
  readonly log: Logger
  readonly store: Store
}

/** How far the server is: parts of its state that the checks look at. */
export interface CheckedState {
  readonly cache: { fault(): string | undefined }
  readonly draining: AbortSignal
  /** The roles and bindings that the server has read. */
  readonly policy: KnownPolicy
  /** What the start still waits for. */
  readonly start: { readonly fault: () => string | undefined; readonly filling: () => string | undefined }
}

/** The checks of each endpoint, in the reference's order. Called once per server. */
export function healthChecks(how: CheckedServer, { cache, draining, policy, start }: CheckedState): HealthChecks {
  const { options, clock } = how
  const livezGraceMs = options["livez-grace-period"]
  const startedMs = clock.elapsedMs()
  const graceful = (check: HealthCheck): HealthCheck => ({
    name: check.name,
    check: async () => (clock.elapsedMs() < startedMs + livezGraceMs ? undefined : check.check()),
  })
  const ping = { name: "ping", check: async () => undefined }
  const log = { name: "log", check: async () => undefined }
  const etcd = loggedStoreCheck("etcd", how, options["store-healthcheck-timeout"])
  const readiness = loggedStoreCheck("etcd-readiness", how, options["store-readycheck-timeout"])
  const informers = loggedCheck({ name: "informer-sync", check: async () => cache.fault() ?? start.filling() }, how.log)
  const roles = bootstrapRoles(how, policy)
  const bootstrap = { name: "poststarthook/bootstrap-controller", check: async () => start.fault() }
  const shutdown = { name: "shutdown", check: async () => (draining.aborted ? "the server is shutting down" : undefined) }
  return {
    healthz: [ping, log, etcd, ...roles, bootstrap],
    livez: [ping, log, etcd, ...roles.map(graceful), graceful(bootstrap)],
    readyz: [ping, log, etcd, readiness, informers, ...roles, bootstrap, shutdown],
  }
}

/** With RBAC: another server of the store may make them. */
function bootstrapRoles({ options, log }: CheckedServer, policy: KnownPolicy): readonly HealthCheck[] {
  if (!options["authorization-mode"].includes("RBAC")) return []
  const missing = bootstrapCheck(policy, vendorProfile(options.vendor))
  return [loggedCheck({ name: "poststarthook/rbac/bootstrap-roles", check: async () => missing() }, log)]
}

/**
 * What ComponentStatus reports: the programs beside the server, and its stores, numbered as in `/metrics`. `etcd-0` is
 * what `/healthz/etcd` checks. Called once per server.
 */
export function components({ options, clock, store }: CheckedServer): readonly HealthCheck[] {
  const timeoutMs = options["store-healthcheck-timeout"]
  const stores = storesOf(store).map((one) => cachedCheck(storeCheck("etcd", one, timeoutMs), clock))
  return componentChecks(stores, clock)
}

function loggedStoreCheck(name: string, { clock, log, store }: CheckedServer, timeoutMs: number): HealthCheck {
  return cachedCheck(loggedCheck(storeCheck(name, store, timeoutMs), log), clock)
}

function storeCheck(name: string, store: Store, timeoutMs: number): HealthCheck {
  return {
    name,
    async check() {
      try {
        return store.check === undefined ? (await store.status()).fault : await store.check({ timeoutMs })
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
  }
}
