/** The checks of a server's `/healthz`, `/livez` and `/readyz`, and the components that it reports. */
import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import { vendorProfile } from "../base/vendor.ts"
import type { Bootstrap } from "../controllers/bootstrap.ts"
import type { OwnObjects } from "../controllers/own-objects.ts"
import { bootstrapCheck, type KnownPolicy } from "../controllers/rbac/bootstrap-check.ts"
import { chooseControllers } from "../controllers/table.ts"
import { storesOf } from "../controllers/storage-metrics.ts"
import { componentChecks } from "../observability/components.ts"
import { cachedCheck, type HealthCheck, type HealthChecks, loggedCheck } from "../observability/health.ts"
import type { Options } from "../options/table.ts"
import type { Store } from "../storage/store.ts"

/** The inputs of the checks: parts of `ServerOptions`. */
export interface CheckedServer {
  readonly options: Options
  readonly clock: Clock
  readonly log: Logger
  readonly store: Store
}

/** The parts of the server's state that the checks read. */
export interface CheckedState {
  readonly cache: { fault(): string | undefined }
  readonly draining: AbortSignal
  /** The roles and bindings that the server has read. */
  readonly policy: KnownPolicy
  /** The missing parts of the start. */
  readonly start: {
    readonly fault: () => string | undefined
    readonly filling: () => string | undefined
    readonly steps: StartSteps
  }
}

/**
 * Steps of the start that have a check of their own, by its name, in the reference's order. Steps for parts that this
 * server lacks are left out: the queues of priority and fairness, and the certificate of a proxy. Steps of aggregation
 * concern this server's own APIServices: it passes no requests on to other API servers.
 */
const startSteps = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "start-system-namespaces-controller",
  "bootstrap-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "start-legacy-token-tracking-controller",
  "start-kube-aggregator-informers",
  "apiservice-registration-controller",
  "apiservice-status-available-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
] as const

/** Steps that the reference shows after `autoregister-completion`. */
const lastSteps = ["apiservice-openapi-controller", "apiservice-openapiv3-controller"] as const

type StartStep = (typeof startSteps)[number] | (typeof lastSteps)[number]

/** For each step, the reason why it still waits. Empty until the server has begun. */
export type StartSteps = Partial<Readonly<Record<StartStep, () => string | undefined>>>

/** The parts of a start. */
interface StepSources {
  readonly bootstrap: Bootstrap
  readonly definitions: { fault(): string | undefined }
  readonly policy: { fault(): string | undefined }
  readonly own: OwnObjects
}

/** Called once per server, when the parts of its start have begun. */
export function stepsOf({ bootstrap, definitions, policy, own }: StepSources): StartSteps {
  return {
    // Plugins read namespaces and roles.
    "start-apiserver-admission-initializer": () => bootstrap.faultOf("namespaces") ?? policy.fault(),
    "generic-apiserver-start-informers": policy.fault,
    "start-apiextensions-informers": definitions.fault,
    // They start when the definitions are read.
    "start-apiextensions-controllers": definitions.fault,
    "crd-informer-synced": definitions.fault,
    "start-service-ip-repair-controllers": definitions.fault,
    "scheduling/bootstrap-system-priority-classes": () => bootstrap.faultOf("priorityClasses"),
    "priority-and-fairness-config-producer": () => bootstrap.faultOf("flowControl"),
    "start-system-namespaces-controller": () => bootstrap.faultOf("namespaces"),
    "start-cluster-authentication-info-controller": own.faults.published,
    "start-kube-apiserver-identity-lease-controller": own.faults.lease,
    "start-kube-apiserver-identity-lease-garbage-collector": own.faults.lease,
    "start-legacy-token-tracking-controller": own.faults.published,
    "start-kube-aggregator-informers": own.faults.apiServices,
    // The groups and versions are served when the definitions are read.
    "apiservice-registration-controller": () => definitions.fault() ?? own.faults.apiServices(),
    "apiservice-status-available-controller": own.faults.availability,
    "apiservice-discovery-controller": definitions.fault,
    "kube-apiserver-autoregistration": own.faults.apiServices,
    "apiservice-openapi-controller": definitions.fault,
    "apiservice-openapiv3-controller": definitions.fault,
  }
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
  const steps = stepChecks(how, { policy, start })
  const shutdown = { name: "shutdown", check: async () => (draining.aborted ? "the server is shutting down" : undefined) }
  return {
    healthz: [ping, log, etcd, ...steps],
    livez: [ping, log, etcd, ...steps.map(graceful)],
    readyz: [ping, log, etcd, readiness, informers, ...steps, shutdown],
  }
}

function stepChecks(how: CheckedServer, { policy, start }: Pick<CheckedState, "policy" | "start">): readonly HealthCheck[] {
  const running: readonly string[] = chooseControllers(how.options).map(({ name }) => name)
  const hooks = startSteps.flatMap((step): readonly HealthCheck[] => {
    const name = `poststarthook/${step}`
    if (step === "rbac/bootstrap-roles") return bootstrapRoles(how, policy)
    if (step === "bootstrap-controller") return [{ name, check: async () => start.fault() }]
    if (isOptional(step) && !running.includes(step)) return []
    return [stepCheck(start, step, name)]
  })
  const registered = stepCheck(start, "kube-apiserver-autoregistration", "autoregister-completion")
  return [...hooks, registered, ...lastSteps.map((step) => stepCheck(start, step, `poststarthook/${step}`))]
}

/** Whether the step is of a controller that `--controllers` may leave out. */
function isOptional(step: StartStep): boolean {
  return step === "start-apiextensions-controllers" || step === "start-service-ip-repair-controllers"
}

function stepCheck(start: Pick<CheckedState["start"], "steps">, step: StartStep, name: string): HealthCheck {
  return {
    name,
    async check() {
      const fault = start.steps[step]
      return fault === undefined ? "not started" : fault()
    },
  }
}

/** A check with RBAC alone: another server of the store may make the roles. */
function bootstrapRoles({ options, log }: CheckedServer, policy: KnownPolicy): readonly HealthCheck[] {
  if (!options["authorization-mode"].includes("RBAC")) return []
  const missing = bootstrapCheck(policy, vendorProfile(options.vendor))
  return [loggedCheck({ name: "poststarthook/rbac/bootstrap-roles", check: async () => missing() }, log)]
}

/**
 * The components of ComponentStatus: the programs beside the server, and its stores, numbered as in `/metrics`.
 * `etcd-0` has the check of `/healthz/etcd`. Called once per server.
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
