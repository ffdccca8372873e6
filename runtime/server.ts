/**
 * The composition root: store → cache → registry → filters and verbs → listener → controllers. All parts of a server
 * are put together here; `stop` ends them in the opposite order.
 */
import { setMaxListeners } from "node:events"
import type { Logger } from "pino"
import type { Audit, AuditSetup } from "./audit/audit.ts"
import { type Authenticator, type StaticToken, staticTokens } from "./authn/authenticate.ts"
import { createAccess } from "./authz/access.ts"
import { alwaysAllow, alwaysDeny, type Authorizer } from "./authz/authorize.ts"
import { serverUser } from "./admission/server-identity.ts"
import { AdmissionChain } from "./admission/chain.ts"
import type { AdmissionReader, PluginDeps } from "./admission/plugin-deps.ts"
import type { AdmissionPlugin } from "./admission/plugin.ts"
import { choosePlugins } from "./admission/plugins/index.ts"
import { createApp } from "./app.ts"
import { ownClient } from "./client/in-process-client.ts"
import type { Controller, SystemApi } from "./controllers/controller.ts"
import { deduplicateLog } from "./controllers/log-deduplication.ts"
import { installDefinitions, type StartDefinition } from "./controllers/definitions/install-definitions.ts"
import { startServedDefinitions } from "./controllers/definitions/served-definitions.ts"
import { startControllers } from "./controllers/start.ts"
import { chooseControllers, type ControllerRow } from "./controllers/table.ts"
import { behaviours, subresourceBehaviours } from "./behaviours/index.ts"
import { type LoadableBody, bodyLoader } from "./body-kinds.ts"
import { startBootstrap } from "./controllers/bootstrap.ts"
import type { Clock } from "./base/clock.ts"
import { type ConnectOptions, createConnector } from "./connect/connector.ts"
import type { ObjectReader } from "./connect/objects.ts"
import { notFound } from "./base/errors.ts"
import { createHooks } from "./hooks/hooks.ts"
import { type HealthCheck, type HealthChecks, loggedCheck, cachedCheck } from "./observability/health.ts"
import { createMeters } from "./observability/meters.ts"
import { logHold } from "./observability/event-loop-log.ts"
import type { BehaviourDeps, BehaviourFactory, SubresourceBehaviourFactory } from "./schema/behaviour.ts"
import { inParallel } from "./base/in-parallel.ts"
import { isStored, type Kind } from "./schema/kind.ts"
import { fillsAtOnce } from "./base/limits.ts"
import { type Listener, type ListenOptions, listen, type Tls } from "./http/listen.ts"
import { watchLoop } from "./base/event-loop-monitor.ts"
import type { TimeLimits } from "./http/time-limits.ts"
import type { Options } from "./options/table.ts"
import type { Random } from "./base/random.ts"
import { ContinueTokens } from "./registry/continue-token.ts"
import { KindTable } from "./registry/kinds.ts"
import { parseObject } from "./registry/object-codec.ts"
import type { StoredShapes } from "./registry/stored-shapes.ts"
import { OpenWatches } from "./registry/open-watches.ts"
import { awaitFreshness } from "./registry/read.ts"
import { objectReader } from "./registry/object-reader.ts"
import { Registry } from "./registry/registry.ts"
import { advertisedAddress } from "./launch/server-names.ts"
import type { Filter } from "./http/env.ts"
import type { User } from "./base/user.ts"
import type { ObjectClient } from "./schema/object-client.ts"
import { serverAudit } from "./server-audit.ts"
import type { ServerParts } from "./server-parts.ts"
import type { Store } from "./storage/store.ts"
import { openCaches } from "./storage/watch-cache/overridden-cache.ts"
import type { WatchCache } from "./storage/watch-cache/watch-cache.ts"
import { storageFormatOf, storeRoot } from "./launch/data-dir.ts"
import { vendorProfile } from "./base/vendor.ts"
import { yamlThread } from "./wire/yaml-thread.ts"
import { pathsReadFromStore, logMismatch, logUndecodable } from "./launch/watch-cache-options.ts"

/** Input of `startServer`: the options by name, and what `launch/launch.ts` opened, read and created for them. */
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
  /** Absent: no request is recorded. */
  readonly audit?: AuditSetup
  /** The key that signs continue tokens. All servers of one store need the same. */
  readonly tokenSecret: Buffer
  /** The serving certificate and its key, PEM. */
  readonly certificate: Pick<Tls, "certificate" | "key">
  /** The certificate that programs in the cluster must trust, PEM. Absent: it is not published. */
  readonly authority?: string
  /** How long the server waits for slow clients before it closes their connections; default `base/limits.ts`. */
  readonly connectionTimes?: Partial<TimeLimits>
  /** Behaviours of a user's own kinds, by the names that schemas use; added to the built-in ones. */
  readonly behaviours?: Readonly<Record<string, BehaviourFactory>>
  readonly subresourceBehaviours?: Readonly<Record<string, SubresourceBehaviourFactory>>
  /** How to reach other machines: node agents, and the pods, services and nodes of proxy paths. */
  readonly connect?: ConnectOptions
  /** Whether other servers write to the same store; default false. */
  readonly sharedStore?: boolean
  /** Remembers the shapes that wrote the store, which it has compared with `kinds`. Absent: nothing does. */
  readonly shapes?: StoredShapes
  /** Definitions that are installed before the server is ready. */
  readonly definitions?: readonly StartDefinition[]
  /** Admission plugins that run after the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[]
  /** Middleware that runs after authorization. */
  readonly middleware?: readonly Filter[]
  /** Replaces the secure port: a simulation has no network. */
  readonly listen?: (options: ListenOptions) => Promise<Pick<Listener, "port" | "close"> & Partial<Pick<Listener, "unref">>>
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
   * Refuses new requests if `--shutdown-send-retry-after` says so, ends watches, waits for requests in flight up to
   * `--request-timeout`, and closes port and store. A second call waits for the first.
   */
  stop(): Promise<void>
  /** From now on, the server does not keep the process alive. Its timers and threads never do. */
  unref(): void
}

/**
 * How long a store that does not answer may delay each of two steps of the start, after which `/readyz` reports what is
 * missing, and the end of the controllers, after which closing the store fails what they still wait for.
 */
const patienceMs = 5000

/**
 * Called once per server. Resolves when the server listens and the objects of the system exist, or after `patienceMs`
 * if the store does not answer; with definitions to install, when they are served. Throws when the port is taken, and
 * RefusedDefinitionsError.
 */
export async function startServer(how: ServerOptions): Promise<RunningServer> {
  const draining = new AbortController()
  const rejecting = new AbortController()
  const stopping = new AbortController()
  // Every watch adds a listener; node would warn of a leak.
  setMaxListeners(0, stopping.signal)
  const { options, store, clock, log } = how
  const chosen = chooseControllers(options)
  const prefix = storeRoot(options["store-prefix"])
  const audit = serverAudit(how, userAgent)
  const cache = openCaches({
    store,
    prefix,
    clock,
    readsStore: pathsReadFromStore(how),
    onMismatch: (found) => logMismatch(log, found),
    onUndecodable: (error) => logUndecodable(log, error),
  })
  const start: StartState = { fault: () => "not started", filling: () => "not started" }
  const signals = { draining: draining.signal, rejecting: rejecting.signal, stopping: stopping.signal }
  const parts = assemble(how, { cache, prefix, start, audit, ...signals })
  const app = createApp(parts, how.middleware)
  const listener = await (how.listen ?? listen)(listenOptions(how, app)).catch(async (error: unknown) => {
    parts.loopDelay.stop()
    await Promise.all([cache.close(), audit?.stop()])
    throw error
  })
  const stopWatching = watchLoop((hold) => logHold(parts, hold))
  const loops = startLoops(how, parts, { port: listener.port, chosen })
  start.fault = loops.fault
  await within(patienceMs, loops.ready, clock)
  await install(how, parts, start)
  if (start.refusal !== undefined) {
    await stop()
    throw start.refusal
  }
  const filling = fillCaches(parts)
  start.filling = filling.fault
  await within(patienceMs, filling.done, clock)
  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    draining.abort()
    if (options["shutdown-send-retry-after"]) {
      rejecting.abort()
      await within(options["request-timeout"], parts.inFlight.drained("short"), clock)
    }
    await within(patienceMs, loops.stop(), clock)
    await within(options["shutdown-watch-termination-grace-period"], parts.inFlight.drained("long"), clock)
    stopping.abort()
    await listener.close({ graceMs: options["request-timeout"], clock })
    await within(patienceMs, requestsEnded(parts), clock)
    parts.hooks.close()
    await Promise.all([audit?.stop(), yamlThread.stop()])
    await cache.close()
    if (how.keepStore !== true) await store.close()
    stopWatching()
    parts.loopDelay.stop()
  }
  return {
    parts,
    cache,
    port: listener.port,
    beginShutdown: () => draining.abort(),
    unref: () => listener.unref?.(),
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/**
 * Called when all connections are closed. Node closes a response shortly after its connection, and work that follows a
 * request may still need the store.
 */
async function requestsEnded({ inFlight }: ServerParts): Promise<void> {
  await Promise.all([inFlight.drained("short"), inFlight.drained("long")])
}

function listenOptions(how: ServerOptions, app: ListenOptions["app"]): ListenOptions {
  const { options, clock, log } = how
  const streams = options["http2-max-streams-per-connection"]
  return {
    app,
    host: options["bind-address"],
    port: options["secure-port"],
    tls: { ...how.certificate, minVersion: options["tls-min-version"] === "VersionTLS13" ? "TLSv1.3" : "TLSv1.2" },
    clock,
    ...(streams > 0 && { streamsPerConnection: streams }),
    http2: options["http2-implementation"],
    ...(how.connectionTimes !== undefined && { times: how.connectionTimes }),
    warn: (message, facts) => log.warn(facts, message),
  }
}

/** Resolves when the work is done or `milliseconds` have passed; at once for 0. */
async function within(milliseconds: number, work: Promise<void>, clock: Clock): Promise<void> {
  if (milliseconds === 0) return
  let cancel = (): void => {}
  const patience = new Promise<void>((resolve) => {
    cancel = clock.after(milliseconds, resolve)
  })
  await Promise.race([work, patience])
  cancel()
}

/** What a start still waits for, as `/readyz` reports it; undefined once nothing is missing. */
interface StartState {
  fault: () => string | undefined
  filling: () => string | undefined
  /** Definitions of the start were refused. */
  refusal?: Error
}

/** Never rejects: what is refused is noted in `start`. */
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

/**
 * Fills the cache of every stored resource before clients ask for it. `done` never rejects: the cache tries again what
 * failed.
 */
function fillCaches({ kinds, registry, log }: ServerParts): { readonly done: Promise<void>; readonly fault: () => string | undefined } {
  // Caches of definitions' kinds are filled on first use: there may be a thousand of them.
  const own = kinds.all().filter((kind) => kind.custom === undefined && isStored(kind))
  const left = new Set(own.filter((kind) => kinds.stored(kind) === kind))
  const fill = async (kind: Kind): Promise<void> => {
    try {
      await registry.handle(kind)
      await registry.deps.shapes?.adopt(kinds, kind)
    } catch (error) {
      // The store was closed, or the kind's code cannot be loaded: requests for the kind will report it.
      log.error({ err: error, kind: kind.kind }, "the cache of a kind could not be filled")
    }
    left.delete(kind)
  }
  const next = (): string | undefined => {
    for (const kind of left) return `${kind.resource} and ${left.size - 1} other resources are still being read from the store`
    return undefined
  }
  return { done: inParallel([...left], { atOnce: fillsAtOnce }, fill), fault: next }
}

interface StartLoops extends Controller {
  /** Resolves when the objects of the system exist. */
  readonly ready: Promise<void>
  /** Why they do not exist yet; undefined once they do. */
  readonly fault: () => string | undefined
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
  const background = startControllers(deps, {
    options: how.options,
    chosen,
    ...(how.authority !== undefined && { rootCa: how.authority }),
    ...(shared && { identity: `${address}_${how.random.uuid()}` }),
    kindsKnown: definitions.ready,
    cache: watchCache,
    measures: storage,
  })
  return {
    ready: Promise.all([bootstrap.done, definitions.ready]).then(() => undefined),
    fault: () => bootstrap.fault() ?? definitions.fault(),
    async stop() {
      await Promise.all([bootstrap.stop(), background.stop(), definitions.stop()])
    },
  }
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

/** The chain of the chosen plugins, and after them those of the program that runs the server. */
function admissionOf({ options, clock, admission = [] }: ServerOptions, deps: PluginDeps): AdmissionChain {
  const builtIn = choosePlugins(options).map((make) => make(deps))
  return new AdmissionChain([...builtIn, ...admission], { clock, timeoutMs: options["request-timeout"] })
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
  }
  const reader = objectReader(() => registry)
  const registry: Registry = new Registry({
    kinds,
    store,
    cache,
    vendor,
    clock,
    random,
    storePrefix: prefix,
    storageFormat: storageFormatOf(options["storage-media-type"]),
    tokens: new ContinueTokens(how.tokenSecret),
    ttlSeconds: { "event-ttl": Math.round(options["event-ttl"] / 1000) },
    sharedStore: how.sharedStore ?? false,
    ...(how.shapes !== undefined && { shapes: how.shapes }),
    garbageCollector: options["enable-garbage-collector"],
    behaviours: { ...behaviours, ...how.behaviours },
    ownBehaviours: new Set(Object.keys(how.behaviours ?? {})),
    subresourceBehaviours: { ...subresourceBehaviours, ...how.subresourceBehaviours },
    behaviourDeps,
    admission: admissionOf(how, { vendor, reader }),
  })
  const connector = createConnector(how.connect ?? {}, { clock, vendor, advertised: addressOf(options) })
  const authenticators = authenticatorsOf(how.tokens)
  const authorizers = options["authorization-mode"].map(authorizerOf)
  const parts: ServerParts = {
    vendor,
    clock,
    random,
    kinds,
    registry,
    ...createMeters(kinds, vendor, clock),
    watches: new OpenWatches(clock, stopping),
    rejecting,
    stopping,
    log,
    options,
    body: bodyLoader(how.bodies, vendor),
    connector,
    hooks: createHooks({ network: connector.network, policy: connector.policy, read: coreReader(reader), random, clock, userAgent }),
    ...(audit !== undefined && { audit }),
    authenticators,
    authorizers,
    access: createAccess({ authenticators, authorizers, vendor }),
    health: healthChecks(how, made),
    watchCache: cache,
    openapi: how.openapi,
  }
  return parts
}

/** How the server names itself to web hooks. */
const userAgent = "orch-apiserver"

function coreReader(reader: AdmissionReader): ObjectReader {
  return async (resource, name, namespace) => {
    const found = await reader.get({ group: "", version: "v1", resource }, namespace, name)
    if (found === undefined) throw notFound({ group: "", resource, name })
    return found
  }
}

function addressOf(options: Options): string {
  return advertisedAddress({ advertise: options["advertise-address"], bind: options["bind-address"] })
}

function authenticatorsOf(tokens: readonly StaticToken[]): readonly Authenticator[] {
  return tokens.length === 0 ? [] : [staticTokens(tokens)]
}

function authorizerOf(mode: "AlwaysAllow" | "AlwaysDeny"): Authorizer {
  return mode === "AlwaysAllow" ? alwaysAllow : alwaysDeny
}

/** Reads all objects below a storage path, including everything that was committed before the call. */
async function readAll(registry: Registry, kinds: KindTable, storagePath: string): ReturnType<BehaviourDeps["readAll"]> {
  const kind = kinds.all().find((candidate) => candidate.storage.path === storagePath && kinds.stored(candidate) === candidate)
  if (kind === undefined) return []
  const handle = await registry.handle(kind)
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const snapshot = handle.cache.snapshot()
  return [...snapshot.entries({ prefix: handle.prefix("") })].map((entry) => parseObject(entry.json()))
}

function healthChecks(how: ServerOptions, { cache, draining, start }: RunningState): HealthChecks {
  const { options, clock } = how
  const livezGraceMs = options["livez-grace-period"]
  const startedMs = clock.elapsedMs()
  const graceful = (check: HealthCheck): HealthCheck => ({
    name: check.name,
    check: async () => (clock.elapsedMs() < startedMs + livezGraceMs ? undefined : check.check()),
  })
  const ping = { name: "ping", check: async () => undefined }
  const log = { name: "log", check: async () => undefined }
  const etcd = storeCheck("etcd", how, options["store-healthcheck-timeout"])
  const readiness = storeCheck("etcd-readiness", how, options["store-readycheck-timeout"])
  const informers = loggedCheck({ name: "informer-sync", check: async () => cache.fault() ?? start.filling() }, how.log)
  const bootstrap = { name: "poststarthook/bootstrap-controller", check: async () => start.fault() }
  const shutdown = { name: "shutdown", check: async () => (draining.aborted ? "the server is shutting down" : undefined) }
  return {
    healthz: [ping, log, etcd, bootstrap],
    livez: [ping, log, etcd, graceful(bootstrap)],
    readyz: [ping, log, etcd, readiness, informers, bootstrap, shutdown],
  }
}

function storeCheck(name: string, { clock, log, store }: ServerOptions, timeoutMs: number): HealthCheck {
  async function check(): Promise<string | undefined> {
    try {
      return store.check === undefined ? (await store.status()).fault : await store.check({ timeoutMs })
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  return cachedCheck(loggedCheck({ name, check }, log), clock)
}
