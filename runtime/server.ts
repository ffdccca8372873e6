/**
 * The composition root: store → cache → registry → filters and verbs → listener → controllers. All parts of a server
 * are put together here; `stop` ends them in the opposite order.
 */
import { setMaxListeners } from "node:events"
import { hostname } from "node:os"
import type { Logger } from "pino"
import type { Audit, AuditSetup } from "./audit/audit.ts"
import type { StaticToken } from "./authn/authenticate.ts"
import { createAuthentication } from "./authn/authenticators.ts"
import type { ConfiguredAuthentication } from "./authn/configured.ts"
import type { ServiceAccountTokens } from "./authn/service-accounts/tokens.ts"
import { createAccess } from "./authz/access.ts"
import { authorizersOf, checksEscalation, type ConfiguredAuthorization, withoutFiles } from "./authz/authorizers.ts"
import { NodeGraph } from "./authz/node/graph.ts"
import { RbacPolicy } from "./authz/rbac/policy.ts"
import { serverUser } from "./admission/server-identity.ts"
import type { PluginDeps } from "./admission/plugin-deps.ts"
import type { AdmissionPlugin } from "./admission/plugin.ts"
import { createApp } from "./app.ts"
import { ownClient } from "./client/in-process-client.ts"
import type { Signing } from "./controllers/certificates/signers.ts"
import type { Controller, SystemApi } from "./controllers/controller.ts"
import { deduplicateLog } from "./controllers/log-deduplication.ts"
import { installDefinitions, type StartDefinition } from "./controllers/definitions/install-definitions.ts"
import { startBootstrapPolicy } from "./controllers/rbac/ensure-policy.ts"
import { startServedDefinitions } from "./controllers/definitions/served-definitions.ts"
import { followAuthorization, nodeRules } from "./controllers/rbac/follow-authorization.ts"
import { startControllers } from "./controllers/start.ts"
import { chooseControllers, type ControllerRow } from "./controllers/table.ts"
import { behaviours, subresourceBehaviours } from "./behaviours/index.ts"
import { type LoadableBody, bodyLoader } from "./body-kinds.ts"
import { startBootstrap } from "./controllers/bootstrap.ts"
import type { ServerIdentity } from "./controllers/identity-lease.ts"
import { startOwnObjects } from "./controllers/own-objects.ts"
import type { Clock } from "./base/clock.ts"
import type { ConnectOptions } from "./connect/connector.ts"
import { AccessMetrics } from "./observability/access-metrics.ts"
import { createMeters } from "./observability/meters.ts"
import { logHold } from "./observability/event-loop-log.ts"
import { type LoopMeasures, processLoop } from "./observability/loop-measures.ts"
import type { BehaviourDeps, BehaviourFactory, SubresourceBehaviourFactory } from "./schema/behaviour.ts"
import { within } from "./base/within.ts"
import type { Kind } from "./schema/kind.ts"
import { fillCaches } from "./registry/fill-caches.ts"
import { type Listener, type ListenOptions, listen } from "./http/listen.ts"
import type { ServingTls } from "./http/tls.ts"
import type { TimeLimits } from "./http/time-limits.ts"
import type { Options } from "./options/table.ts"
import type { Random } from "./base/random.ts"
import { ContinueTokens } from "./registry/continue-token.ts"
import { KindTable } from "./registry/kinds.ts"
import type { StoredShapes } from "./registry/stored-shapes.ts"
import { OpenWatches } from "./registry/open-watches.ts"
import { readAll } from "./registry/read-all.ts"
import { objectReader } from "./registry/object-reader.ts"
import { Registry, type RegistryDeps } from "./registry/registry.ts"
import { components, healthChecks, type StartSteps, stepsOf } from "./launch/health-checks.ts"
import { advertisedAddress } from "./launch/server-names.ts"
import { serverIdentity } from "./base/server-identity.ts"
import type { Filter } from "./http/env.ts"
import type { User } from "./base/user.ts"
import type { ObjectClient } from "./schema/object-client.ts"
import { clientsOf, labelsOfSecrets, userAgent } from "./server-clients.ts"
import { serverAdmission } from "./server-admission.ts"
import { serverAudit } from "./server-audit.ts"
import { patienceMs, type StopOptions, stopServer } from "./server-stop.ts"
import { followTls, tlsOf } from "./server-tls.ts"
import type { ServerParts } from "./server-parts.ts"
import type { Store } from "./storage/store.ts"
import { openCaches } from "./storage/watch-cache/overridden-cache.ts"
import type { WatchCache } from "./storage/watch-cache/watch-cache.ts"
import { storageFormatOf, storeRoot } from "./launch/data-dir.ts"
import { vendorProfile } from "./base/vendor.ts"
import { pathsReadFromStore, logMismatch, logUndecodable } from "./launch/watch-cache-options.ts"

/** Input of `startServer`: the options by name, and the parts that `launch/launch.ts` made from them. */
export interface ServerOptions {
  /** `secure-port` may be 0: any free port. */
  readonly options: Options
  /** The caller opens it, `stop` closes it unless `keepStore`. */
  readonly store: Store
  /** The store stays open for the next server. Default false. */
  readonly keepStore?: boolean
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** As `kindsOfVendor` makes them. */
  readonly kinds: readonly Kind[]
  readonly bodies: readonly LoadableBody[]
  /** Makes the operations on the built-in kinds, for controllers. */
  readonly api: (client: ObjectClient) => SystemApi
  /** Generated documents by path (`v2`, `v3/api/v1`), read on first use. */
  readonly openapi: ServerParts["openapi"]
  readonly tokens: readonly StaticToken[]
  /** Absent: no request is recorded. The server stops its file. */
  readonly audit?: AuditSetup
  /** Absent: the server neither makes nor knows tokens of service accounts. `stop` ends it. */
  readonly serviceAccounts?: ServiceAccountTokens
  /** The key that signs continue tokens. All servers of one store need the same. */
  readonly tokenSecret: Buffer
  /** The serving certificates; `stop` ends it. */
  readonly serving: ServingTls
  /** Authenticators that the options configure besides tokens; `stop` ends it. */
  readonly authentication?: ConfiguredAuthentication
  /** Authorizers that the options and their files configure; `stop` ends it. Absent: modes that need no files. */
  readonly authorization?: ConfiguredAuthorization
  /** Measurements of authentication and authorization so far. Absent: the server makes its own. */
  readonly accessMetrics?: AccessMetrics
  /** The certificate that programs in the cluster must trust, PEM. Absent: it is not published. */
  readonly authority?: string
  /** The pairs with which the signer of certificates signs. Absent: it signs nothing. */
  readonly signing?: Signing
  /** Time limits for slow clients, after which the server closes their connections; default `base/limits.ts`. */
  readonly connectionTimes?: Partial<TimeLimits>
  /** Behaviours of a user's own kinds, by the names that schemas use; added to the built-in ones. */
  readonly behaviours?: Readonly<Record<string, BehaviourFactory>>
  readonly subresourceBehaviours?: Readonly<Record<string, SubresourceBehaviourFactory>>
  /** Connections to other machines: node agents, and the pods, services and nodes of proxy paths. */
  readonly connect?: ConnectOptions
  /** The name of this machine; default: the system's. */
  readonly host?: string
  /** Whether other servers write to the same store; default false. */
  readonly sharedStore?: boolean
  /** Remembers the shapes that wrote the store, which it has compared with `kinds`. Absent: shapes are not recorded. */
  readonly shapes?: StoredShapes
  /** Definitions that are installed before the server is ready. */
  readonly definitions?: readonly StartDefinition[]
  /** Admission plugins that run after the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[]
  /** Middleware that runs after authorization. */
  readonly middleware?: readonly Filter[]
  /** Replaces the measurements of the event loop: a simulation has no real time, and ends servers that do not stop. */
  readonly loop?: LoopMeasures
  /** Replaces the secure port: a simulation has no network. */
  readonly listen?: (
    options: ListenOptions,
  ) => Promise<Pick<Listener, "port" | "close"> & Partial<Pick<Listener, "drain" | "unref" | "setTls">>>
}

export interface RunningServer {
  readonly parts: ServerParts
  readonly cache: WatchCache
  readonly port: number
  /**
   * Makes `/readyz` fail from now on; requests are served as before. Called before `stop`, so that load balancers send
   * their requests elsewhere; specification section 3.2.
   */
  beginShutdown(): void
  /**
   * Refuses new requests with `--shutdown-send-retry-after`, ends watches, waits for requests in flight up to
   * `--request-timeout`, and closes port and store. It waits for no stranger, and `stopStallMs` for a client that makes
   * no progress. A second call waits for the first.
   */
  stop(options?: StopOptions): Promise<void>
  /** Resolves when authorization knows the roles, bindings and pods that are stored. */
  policyTakenUp(): Promise<void>
  /** From now on, the server does not keep the process alive. Its timers and threads never do. */
  unref(): void
}

/**
 * Called once per server. Resolves when the server listens and the objects of the system exist, or after `patienceMs`
 * if the store does not answer; with definitions to install, once they are served. Throws when the port is taken, and
 * RefusedDefinitionsError.
 */
export async function startServer(how: ServerOptions): Promise<RunningServer> {
  const draining = new AbortController()
  const rejecting = new AbortController()
  const stopping = new AbortController()
  // Every watch adds a listener; node would warn of a leak.
  setMaxListeners(0, stopping.signal)
  const { options, clock } = how
  const chosen = chooseControllers(options)
  const prefix = storeRoot(options["store-prefix"])
  const audit = serverAudit(how, userAgent)
  const cache = cacheOf(how, prefix)
  const start: StartState = { fault: () => "not started", filling: () => "not started", steps: {} }
  const signals = { draining: draining.signal, rejecting: rejecting.signal, stopping: stopping.signal }
  const parts = assemble(how, { cache, prefix, start, audit, ...signals })
  const { app } = createApp(parts, how.middleware)
  const listener = await openPort(how, app).catch(async (error: unknown) => {
    parts.loopDelay.stop()
    await Promise.all([cache.close(), audit?.stop()])
    throw error
  })
  const stopWatching = (how.loop ?? processLoop).watch((hold) => logHold(parts, hold))
  const loops = startLoops(how, parts, { port: listener.port, chosen })
  let stopped: Promise<void> | undefined
  function stop(choice: StopOptions = {}): Promise<void> {
    const running = { parts, loops, listener, audit, cache, draining, rejecting, stopping, stopWatching }
    stopped ??= stopServer(how, running, choice)
    return stopped
  }
  start.fault = loops.fault
  start.steps = loops.steps
  await within(patienceMs, loops.ready, clock)
  await install(how, parts, start)
  if (start.refusal !== undefined) {
    await stop()
    throw start.refusal
  }
  const filling = fillCaches(parts)
  start.filling = filling.fault
  await within(patienceMs, filling.done, clock)
  return {
    parts,
    cache,
    port: listener.port,
    beginShutdown: () => draining.abort(),
    policyTakenUp: loops.policyTakenUp,
    unref: () => listener.unref?.(),
    stop,
  }
}

async function openPort(how: ServerOptions, app: ListenOptions["app"]): ReturnType<NonNullable<ServerOptions["listen"]>> {
  const listener = await (how.listen ?? listen)(listenOptions(how, app))
  followTls(how, listener)
  return listener
}

function listenOptions(how: ServerOptions, app: ListenOptions["app"]): ListenOptions {
  const { options, clock, log } = how
  const streams = options["http2-max-streams-per-connection"]
  return {
    app,
    host: options["bind-address"],
    port: options["secure-port"],
    tls: tlsOf(how),
    clock,
    ...(streams > 0 && { streamsPerConnection: streams }),
    http2: options["http2-implementation"],
    ...(how.connectionTimes !== undefined && { times: how.connectionTimes }),
    warn: (message, facts) => log.warn(facts, message),
  }
}

/** The missing parts of a start, as `/readyz` reports them; undefined once nothing is missing. */
interface StartState {
  fault: () => string | undefined
  filling: () => string | undefined
  /** The steps of the start by the names of their health checks. */
  steps: StartSteps
  /** Definitions of the start were refused. */
  refusal?: Error
}

/** Never rejects: a refusal is noted in `start`. */
async function install({ definitions = [] }: ServerOptions, parts: ServerParts, start: StartState): Promise<void> {
  if (definitions.length === 0) return
  const before = start.fault
  start.fault = () => before() ?? "definitions are being installed"
  try {
    const { clock, kinds, vendor } = parts
    await installDefinitions({ client: ownClient(parts, serverUser), kinds, vendor, clock }, definitions)
    start.fault = before
  } catch (error) {
    start.refusal = error instanceof Error ? error : new Error(String(error))
  }
}

function cacheOf(how: ServerOptions, prefix: string): WatchCache {
  const { clock, log, store } = how
  return openCaches({
    store,
    prefix,
    clock,
    readsStore: pathsReadFromStore(how),
    onMismatch: (found) => logMismatch(log, found),
    onUndecodable: (error) => logUndecodable(log, error),
  })
}

interface StartLoops extends Controller {
  /** Resolves when the objects of the system exist. */
  readonly ready: Promise<void>
  /** The reason why they do not exist yet; undefined once they do. */
  readonly fault: () => string | undefined
  readonly steps: StartSteps
  readonly policyTakenUp: () => Promise<void>
}

/** Starts bootstrap and controllers. They must end before the store closes. */
function startLoops(
  how: ServerOptions,
  parts: ServerParts,
  { port, chosen }: { port: number; chosen: readonly ControllerRow[] },
): StartLoops {
  const { registry, clock, log, watchCache, storage, workQueues } = parts
  const client = (user: User): ObjectClient => ownClient(parts, user)
  const deps = {
    registry,
    clock,
    log: deduplicateLog(log, clock),
    client,
    api: (user: User) => how.api(client(user)),
    meters: (queue: string) => workQueues.meterOf(queue),
  }
  const address = addressOf(how.options)
  const shared = how.sharedStore ?? false
  const bootstrap = startBootstrap(deps, { address, port, shared })
  const definitions = startServedDefinitions(deps, {
    ...definitionGates(how.options),
    callHook: (hook, review, signal) => parts.hooks.post(hook, { review, ...(signal !== undefined && { signal }) }),
    uuid: () => how.random.uuid(),
    measureConversions: (definition) => parts.conversions.of(definition),
  })
  // The check of escalation reads the roles in every mode.
  const follows = { roles: checksEscalation(how.options), nodes: how.options["authorization-mode"].includes("Node") }
  const policy = followAuthorization(deps, follows, parts)
  const roles = how.options["authorization-mode"].includes("RBAC") ? startBootstrapPolicy(deps, policy.settled) : undefined
  const background = startControllers(deps, {
    options: how.options,
    chosen,
    ...(how.authority !== undefined && { rootCa: how.authority }),
    ...(how.signing !== undefined && { signing: how.signing }),
    ...(shared && { identity: `${address}_${how.random.uuid()}` }),
    kindsKnown: definitions.ready,
    policyMade: roles?.made ?? Promise.resolve(),
    cache: watchCache,
    measures: storage,
  })
  const own = startOwnObjects(deps, {
    bootstrap,
    kindsKnown: definitions.ready,
    identity: identityOf(how),
    trust: how.authentication,
  })
  const made = Promise.all([roles?.made, background.made, own.made]).then(policy.settled)
  return {
    policyTakenUp: policy.settled,
    ready: Promise.all([bootstrap.done, definitions.ready, policy.ready, made]).then(() => undefined),
    fault: () => bootstrap.fault() ?? definitions.fault() ?? policy.fault(),
    steps: stepsOf({ bootstrap, definitions, policy, own }),
    async stop() {
      await Promise.all([own.stop(), bootstrap.stop(), roles?.stop(), background.stop(), definitions.stop(), policy.stop()])
    },
  }
}

function identityOf({ host = hostname(), random }: ServerOptions): ServerIdentity {
  return { name: serverIdentity(host), host, run: random.uuid() }
}

function definitionGates({ "feature-gates": gates }: Options): { readonly ratchet: boolean; readonly selectable: boolean } {
  return { ratchet: gates.CRDValidationRatcheting !== false, selectable: gates.CustomResourceFieldSelectors === true }
}

interface RunningState {
  readonly cache: WatchCache
  readonly prefix: string
  readonly start: StartState
  readonly audit: Audit | undefined
  readonly draining: AbortSignal
  readonly rejecting: AbortSignal
  readonly stopping: AbortSignal
}

function assemble(how: ServerOptions, made: RunningState): ServerParts {
  const { options, clock, random, store, log } = how
  const { audit, cache, prefix, rejecting, stopping } = made
  const vendor = vendorProfile(options.vendor)
  const kinds = new KindTable(how.kinds)
  const behaviourDeps: BehaviourDeps = {
    get client() {
      return ownClient(parts, serverUser)
    },
    vendor,
    clock,
    random,
    options,
    read: (path) => store.get({ key: prefix + path }),
    readAll: (storagePath) => readAll(registry, kinds, storagePath),
    key: (path) => prefix + path,
    components: components(how),
  }
  const reader = objectReader(() => registry)
  const meters = createMeters(kinds, vendor, clock)
  const { connector, hooks } = clientsOf(how, { vendor, reader })
  const access = accessOf(how, { hooks, reader, vendor, client: () => ownClient(parts, serverUser) })
  const registry: Registry = new Registry({
    kinds,
    store,
    cache,
    vendor,
    clock,
    random,
    storePrefix: prefix,
    tokens: new ContinueTokens(how.tokenSecret),
    ...storageOf(how),
    storeMeter: meters.storeLatencies,
    ...(audit !== undefined && { beforeWrite: audit.beforeWrite }),
    garbageCollector: options["enable-garbage-collector"],
    behaviours: { ...behaviours, ...how.behaviours },
    ownBehaviours: new Set(Object.keys(how.behaviours ?? {})),
    subresourceBehaviours: { ...subresourceBehaviours, ...how.subresourceBehaviours },
    behaviourDeps,
    admission: serverAdmission(how, { vendor, reader }, access.rbacPolicy),
  })
  const parts: ServerParts = {
    vendor,
    clock,
    random,
    kinds,
    registry,
    ...meters,
    loopDelay: (how.loop ?? processLoop).meter(),
    watches: new OpenWatches(clock, stopping),
    rejecting,
    stopping,
    log,
    options,
    body: bodyLoader(how.bodies, vendor),
    connector,
    hooks,
    ...access,
    ...(audit !== undefined && { audit }),
    health: healthChecks(how, { ...made, policy: access.rbacPolicy }),
    watchCache: cache,
    openapi: how.openapi,
  }
  return parts
}

/** The registry's settings for storing objects, and whether other servers write too. */
function storageOf({
  options,
  sharedStore = false,
  shapes,
}: ServerOptions): Pick<RegistryDeps, "storageFormat" | "ttlSeconds" | "sharedStore" | "shapes"> {
  return {
    storageFormat: storageFormatOf(options["storage-media-type"]),
    ttlSeconds: { "event-ttl": Math.round(options["event-ttl"] / 1000) },
    sharedStore,
    ...(shapes !== undefined && { shapes }),
  }
}

type AccessParts = Pick<
  ServerParts,
  | "access"
  | "accessMetrics"
  | "audiences"
  | "authenticators"
  | "authorizers"
  | "nodeGraph"
  | "rbacPolicy"
  | "removeHeaders"
  | "serviceAccounts"
>

/** Authentication and authorization, for requests and for reviews. */
function accessOf(how: ServerOptions, made: PluginDeps & Pick<ServerParts, "hooks"> & { client: () => ObjectClient }): AccessParts {
  const { client, hooks, ...deps } = made
  const { options, clock, random, serviceAccounts, accessMetrics = new AccessMetrics(clock) } = how
  const { reader, vendor } = deps
  const { authenticators, audiences, issuer } = createAuthentication({
    ...{ clock, hooks, random, serviceAccounts, vendor },
    meter: accessMetrics.tokenCache,
    accountMeter: accessMetrics.accountTokens,
    lastUse: labelsOfSecrets(client, how.log),
    tokens: how.tokens,
    configured: how.authentication,
    bootstrap: options["enable-bootstrap-token-auth"],
    audiences: options["api-audiences"],
    read: (resource, namespace, name) => reader.get({ group: "", version: "v1", resource }, namespace, name),
  })
  const rbacPolicy = new RbacPolicy(vendor)
  const nodeGraph = new NodeGraph()
  const policies = { rbacPolicy, nodeGraph, nodeRules: () => nodeRules(vendor) }
  const configured = how.authorization ?? withoutFiles(options["authorization-mode"])
  const authorizers = authorizersOf(configured, { ...policies, hooks, vendor, clock, meter: accessMetrics })
  const access = createAccess({ authenticators, authorizers, vendor, audiences, ...(issuer !== undefined && { issuer }) })
  const removeHeaders = how.authentication?.removeHeaders
  return { authenticators, audiences, serviceAccounts, removeHeaders, authorizers, nodeGraph, rbacPolicy, access, accessMetrics }
}

function addressOf(options: Options): string {
  return advertisedAddress({ advertise: options["advertise-address"], bind: options["bind-address"] })
}
