/**
 * Starts a server from option values: opens the store, reads or creates certificate, token and secrets, loads kinds,
 * and passes all of it to the composition root. Used by the `serve` command and by the library.
 */
import { hostname } from "node:os"
import { join } from "node:path"
import type { Logger } from "pino"
import { api, bodies, kinds } from "../../generated/index.ts"
import { admin, type Administrator, administratorOf, tokenFile } from "./administrator.ts"
import { configureAuthentication } from "./authentication.ts"
import { configureAuthorization, modesOf } from "./authorization.ts"
import type { ConfiguredAuthorization } from "../authz/authorizers.ts"
import type { AdmissionPlugin } from "../admission/plugin.ts"
import { auditSetup } from "./audit-setup.ts"
import { type ApiModule, joinApis, loadApiModule } from "./api-module.ts"
import type { ApiFolder } from "./user-api.ts"
import { builtInDocuments, type Documents, joinDocuments } from "./openapi-files.ts"
import { enabledKinds } from "./enabled-kinds.ts"
import { servedDocuments } from "./served-documents.ts"
import { CertificateError, inMemoryPair, selfSignedPair, type ServingPair } from "./certificates.ts"
import { readFileText } from "../base/file-text.ts"
import type { Clock } from "../base/clock.ts"
import type { ConnectOptions } from "../connect/connector.ts"
import type { JsonObject } from "../base/json.ts"
import { nameOf, RefusedDefinitionsError, type StartDefinition } from "../controllers/definitions/install-definitions.ts"
import { definitionsIn, definitionsOf } from "./definition-files.ts"
import { kindsOfVendor } from "../definitions/definition-kind.ts"
import type { Kind } from "../schema/kind.ts"
import { kubeconfigText, serverUrl } from "./kubeconfig.ts"
import type { Options } from "../options/table.ts"
import { openEmbeddedStore } from "./open-store.ts"
import { readOrMakePrivateFile } from "./private-file.ts"
import { openServingFiles, type ServingFiles } from "./serving-files.ts"
import { signingOf } from "./signing-pairs.ts"
import { checkOldestVersion, tlsSettings } from "./tls-settings.ts"
import type { Random } from "../base/random.ts"
import { advertisedAddress, isUnspecified, servedNames } from "./server-names.ts"
import type { Filter } from "../http/env.ts"
import type { User } from "../base/user.ts"
import type { ProcessHold } from "../client/process-hold.ts"
import { inProcessClient } from "../client/in-process-client.ts"
import type { ObjectClient } from "../schema/object-client.ts"
import { type RunningServer, type ServerOptions, startServer } from "../server.ts"
import { AccessMetrics } from "../observability/access-metrics.ts"
import { serverIdentity } from "../base/server-identity.ts"
import { StartError } from "../base/start-error.ts"
import { newServiceAccountKey, serviceAccountTokensOf } from "./service-account-keys.ts"
import { storageFormatOf, storeRoot } from "./data-dir.ts"
import { KindTable } from "../registry/kinds.ts"
import { StoredShapes } from "../registry/stored-shapes.ts"
import { checkStoreVendor } from "./store-vendor.ts"
import { type Store, StoreError } from "../storage/store.ts"
import { vendorProfile } from "../base/vendor.ts"

export interface LaunchOptions {
  readonly options: Options
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Writes nothing outside the store: certificate, token and secrets exist for this run only. For tests. */
  readonly transient?: boolean
  /** The administrator has a token, also where the program would make a certificate. For programs and tests. */
  readonly token?: boolean
  /** Own kinds that the program has imported, besides the folders of `--api`. */
  readonly modules?: readonly ApiModule[]
  /** Holds the process while operations of the returned client are pending. */
  readonly hold?: ProcessHold
  /** Overrides `--secure-port`; 0 is any free port. */
  readonly port?: number
  /** Additional filters, after authorization. */
  readonly middleware?: readonly Filter[]
  /** Further admission plugins, after the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[]
  /**
   * Called with the kubeconfig before the server listens, so that it exists once `/readyz` responds. Not called with
   * port 0, where the URL is not known yet.
   */
  readonly announce?: (kubeconfig: string) => void
  /** Used in place of a store that `launch` opens; the caller closes it. */
  readonly store?: Store
  /** The store of the options, which the caller has begun to open (`openEmbeddedStore`). */
  readonly opening?: Promise<Store>
  /** Used in place of the folders of `--api`, already loaded. */
  readonly folders?: readonly ApiFolder[]
  /** Definitions of the program, besides `--crd`. */
  readonly definitions?: readonly JsonObject[]
  /** Replaces the secure port, as in `ServerOptions`. */
  readonly listen?: ServerOptions["listen"]
}

export interface Launched {
  readonly server: RunningServer
  /** The URL for clients on this machine. */
  readonly url: string
  /** The administrator's token, with group system:masters. Empty: there is none. */
  readonly token: string
  /** PEM text of the authority that clients trust. */
  readonly authority: string
  readonly kubeconfig: string
  /** Operations as the administrator, without HTTP. */
  readonly client: ObjectClient
  /** Names of the definitions that it was started with. */
  readonly definitions: readonly string[]
  /** The same by group, version and resource, with operations of own kinds. */
  readonly api: object
  /** Access to the server as another user. Called once per user. */
  as(user: User): UserAccess
}

/** A user's access to a server. */
export interface UserAccess {
  readonly client: ObjectClient
  readonly api: object
  /** The administrator's kubeconfig, acting as this user. */
  readonly kubeconfig: string
}

/** Called once per server. Throws StartError, CertificateError or StoreError; nothing is left open then. */
export async function launch(how: LaunchOptions): Promise<Launched> {
  const folders = how.folders ?? (await loadApiFolders(how.options.api, how.modules).catch(endOpening))
  const store = how.store ?? (await (how.opening ?? openStore(how, folders)))
  try {
    return await start(how, store, folders)
  } catch (error) {
    if (how.store === undefined) await store.close()
    throw error
  }
  async function endOpening(error: unknown): Promise<never> {
    const opened = await how.opening?.catch(() => undefined)
    await opened?.close()
    throw error
  }
}

async function start(how: LaunchOptions, store: Store, folders: readonly ApiFolder[]): Promise<Launched> {
  const { options } = how
  await checkStoreVendor(store, { vendor: options.vendor, prefix: options["store-prefix"], clock: how.clock })
  const own = await ownPair(how)
  const signsIn = await administrator(how)
  const tokenSecret = await continueSecret(how, store)
  const shapes = await storedShapes(how, store, folders)
  const serverOptions = serverOptionsOf(how, { store, tokenSecret, own, ...signsIn, folders, ...(shapes !== undefined && { shapes }) })
  const { token, credential } = signsIn
  const { authority } = serverOptions.serving
  const kubeconfigAt = (port: number, actsAs?: User) =>
    kubeconfigText({ url: serverUrl(localAddress(options), port), authority, credential, ...(actsAs !== undefined && { actsAs }) })
  const port = serverOptions.options["secure-port"]
  if (port !== 0) how.announce?.(kubeconfigAt(port))
  const server = await startChecked(serverOptions).catch((error: unknown) => {
    serverOptions.serving.stop()
    serverOptions.authentication?.stop()
    serverOptions.authorization?.stop()
    serverOptions.audit?.stop()
    throw startFault(error, serverOptions.options)
  })
  if (port === 0) how.announce?.(kubeconfigAt(server.port))
  const url = serverUrl(localAddress(options), server.port)
  const clientOf = (user: User): ObjectClient => {
    const client = inProcessClient(server.parts, user)
    return how.hold?.held(client) ?? client
  }
  const access = (user: User, kubeconfig: string): UserAccess => {
    const client = clientOf(user)
    return { client, api: apiOf(client, folders), kubeconfig }
  }
  const definitions = (serverOptions.definitions ?? []).map(({ definition }) => nameOf(definition))
  const ofAdmin = access(admin, kubeconfigAt(server.port))
  const as = (user: User): UserAccess => access(user, kubeconfigAt(server.port, user))
  return { server, url, token, authority, ...ofAdmin, definitions, as }
}

async function startChecked(options: LaunchedOptions): Promise<RunningServer> {
  await checkOldestVersion(options.serving.current())
  return startServer(options)
}

/** The operations of all kinds, on first use: most programs that start a server use HTTP. */
function apiOf(client: ObjectClient, folders: readonly ApiFolder[]): object {
  return folders.length === 0 ? api(client) : joinApis([api, ...folders.map((folder) => folder.api)].map((make) => make(client)))
}

/** Loads the folders of `--api`. Throws StartError, also for a duplicate kind. */
export async function loadApiFolders(given: readonly string[], modules: readonly ApiModule[] = []): Promise<readonly ApiFolder[]> {
  if (given.length + modules.length === 0) return []
  const { loadApiFolder } = await import("./user-api.ts")
  const folders = await Promise.all([...given.map((folder) => loadApiFolder(folder)), ...modules.map((module) => loadApiModule(module))])
  const taken = new Set(kinds.map(identity))
  for (const kind of folders.flatMap((folder) => folder.kinds)) {
    if (taken.has(identity(kind)))
      throw new StartError(`--api: ${identity(kind)} is there already; give yours another group, version or plural`)
    taken.add(identity(kind))
  }
  return folders
}

function identity(kind: Kind): string {
  return `${kind.group === "" ? "" : `${kind.group}/`}${kind.version} ${kind.resource}`
}

/** The built-in kinds and the kinds of `--api`, as this vendor's clients and stores have them. */
function kindsServed(options: Options, folders: readonly ApiFolder[]): readonly Kind[] {
  return kindsOfVendor(kindsOn(options, folders), vendorProfile(options.vendor))
}

/** The kinds that the options leave on, as they were generated. Throws StartError. */
function kindsOn(options: Options, folders: readonly ApiFolder[]): readonly Kind[] {
  const all = [...kinds, ...folders.flatMap((folder) => folder.kinds)]
  return enabledKinds(all, { options, vendor: vendorProfile(options.vendor), builtIn: new Set(kinds) })
}

/** The documents of the kinds that are on. */
function documentsServed(options: Options, folders: readonly ApiFolder[]): Documents {
  const on = kindsOn(options, folders)
  const parts = [{ documents: builtInDocuments(), kinds }, ...folders]
  return joinDocuments(parts.map((part) => servedDocuments(part.documents, part.kinds, on)))
}

function definitionsOfStart({ options, definitions = [] }: LaunchOptions): readonly StartDefinition[] {
  const vendor = vendorProfile(options.vendor)
  return [...definitionsIn(options.crd, vendor), ...definitionsOf(definitions, { vendor, where: "startServer: crds" })]
}

/** Programs and tests have a token, which they pass on to clients. */
function administrator(how: LaunchOptions): Promise<Administrator> {
  const { options, clock, log } = how
  const transient = how.transient === true
  return administratorOf({
    ...{ options, clock, log, transient },
    prefersToken: transient || how.token === true,
    // Hexadecimal instead of base64url: many programs parse a token that begins with "-" as an option.
    makeToken: () => secret(how, tokenFile, () => how.random.bytes(32).toString("hex")),
  })
}

interface LaunchParts extends Administrator {
  readonly store: Store
  readonly tokenSecret: Buffer
  readonly own: ServingPair | undefined
  readonly folders: readonly ApiFolder[]
  readonly shapes?: StoredShapes
}

/** Compares the shapes that wrote the store with the served ones. Throws StartError if the server would misread any. */
async function storedShapes({ options }: LaunchOptions, store: Store, folders: readonly ApiFolder[]): Promise<StoredShapes | undefined> {
  if (options.store === "memory" && options["store-servers"].length === 0) return undefined
  const prefix = storeRoot(options["store-prefix"])
  const shapes = new StoredShapes({ store, prefix, format: storageFormatOf(options["storage-media-type"]) })
  const faults = await shapes.check(new KindTable(kindsServed(options, folders))).catch((error: unknown) => {
    throw error instanceof StoreError ? new StartError(`the records of stored shapes cannot be read: ${error.message}`) : error
  })
  const [first, ...others] = faults
  if (first === undefined) return shapes
  const more = others.length === 0 ? "" : ` (and ${others.map(({ kind }) => kind.resource).join(", ")})`
  throw new StartError(`this server would misread the ${first.kind.resource}${more} of the store: ${first.text}.
${first.remedy}`)
}

interface LaunchedOptions extends ServerOptions {
  readonly serving: ServingFiles
}

function serverOptionsOf(how: LaunchOptions, opened: LaunchParts): LaunchedOptions {
  const { options, clock, random, log } = how
  const { store, token, tokenSecret, folders, shapes } = opened
  const signing = signingOf(options)
  const ownBehaviours: ApiFolder["behaviours"] = Object.assign({}, ...folders.map((folder) => folder.behaviours))
  const made: Omit<ServerOptions, "options" | keyof AccessFiles> = {
    store,
    clock,
    random,
    log,
    kinds: kindsServed(options, folders),
    api,
    bodies: [...bodies, ...folders.flatMap((folder) => folder.bodies)],
    behaviours: ownBehaviours,
    subresourceBehaviours: ownBehaviours,
    openapi: documentsServed(options, folders),
    tokens: token === "" ? [] : [{ token, user: admin }],
    tokenSecret,
    ...(signing !== undefined && { signing }),
    connect: connectOptions(options),
    sharedStore: options["store-servers"].length > 0,
    ...(shapes !== undefined && { shapes }),
    ...(how.store !== undefined && { keepStore: true }),
    ...(how.listen !== undefined && { listen: how.listen }),
    definitions: definitionsOfStart(how),
    ...(how.middleware !== undefined && { middleware: how.middleware }),
    ...(how.admission !== undefined && { admission: how.admission }),
  }
  // Opened last: they begin to watch their files.
  const access = filesOfAccess(how, opened)
  return { ...made, ...access, options: effectiveOptions(how, access.authorization) }
}

/** Opens authentication and authorization. They watch their files until the server stops or its start fails. */
function filesOfAccess(how: LaunchOptions, { own, authority: ownAuthority }: Pick<LaunchParts, "authority" | "own">): AccessFiles {
  const { options, clock, log, random } = how
  const metrics = new AccessMetrics(clock, serverIdentity(hostname()))
  const audit = auditSetup({ options, clock, log })
  const stops: (() => void)[] = [() => audit?.stop()]
  try {
    const accountKeys = { vendor: vendorProfile(options.vendor), ownKey: () => ownTokenKey(how), clock, log }
    const serviceAccounts = serviceAccountTokensOf(options, accountKeys)
    stops.push(() => serviceAccounts?.stop())
    const accountIssuers = serviceAccounts?.issuers ?? []
    const authorization = configureAuthorization({ options, clock, log, metrics })
    stops.push(() => authorization.stop())
    const serving = openServingFiles({ options, settings: tlsSettings(options, log), own, clock, log })
    stops.push(() => serving.stop())
    const authentication = configureAuthentication({ options, clock, log, random, accountIssuers, metrics, ownAuthority })
    return {
      accessMetrics: metrics,
      authorization,
      serving,
      authority: serving.authority,
      ...(audit !== undefined && { audit }),
      ...(serviceAccounts !== undefined && { serviceAccounts }),
      ...(authentication !== undefined && { authentication }),
    }
  } catch (error) {
    for (const stop of stops) stop()
    throw error
  }
}

type AccessFiles = Pick<LaunchedOptions, "accessMetrics" | "audit" | "authentication" | "authority" | "serviceAccounts" | "serving"> &
  Required<Pick<ServerOptions, "authorization">>

/**
 * AlwaysAllow refuses anonymous requests, as kube-apiserver does: otherwise a request with a wrong credential could be
 * repeated without one.
 */
function effectiveOptions({ options, port = options["secure-port"] }: LaunchOptions, authorization: ConfiguredAuthorization): Options {
  const modes = modesOf(authorization)
  const anonymous = options["anonymous-auth"] && !modes.includes("AlwaysAllow")
  return { ...options, "secure-port": port, "anonymous-auth": anonymous, "authorization-mode": modes }
}

/** Throws StartError for unreadable files and for a certificate without a key. */
function connectOptions(options: Options): ConnectOptions {
  const certificate = pemText(options, "node-agent-client-certificate")
  const key = pemText(options, "node-agent-client-key")
  const authority = pemText(options, "node-agent-certificate-authority")
  if ((certificate === undefined) !== (key === undefined))
    throw new StartError("--node-agent-client-certificate and --node-agent-client-key go together")
  return {
    agentAddressTypes: options["node-agent-preferred-address-types"],
    agentTimeoutMs: options["node-agent-timeout"],
    agentTls: {
      ...(certificate !== undefined && { certificate }),
      ...(key !== undefined && { key }),
      ...(authority !== undefined && { authority }),
    },
    allowedCidrs: options["proxy-allowed-cidrs"],
  }
}

function pemText(
  options: Options,
  name: "node-agent-client-certificate" | "node-agent-client-key" | "node-agent-certificate-authority",
): string | undefined {
  if (options[name] === "") return undefined
  try {
    return readFileText(options[name])
  } catch (error) {
    throw new StartError(`--${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Opens the store that the options name. `folders`: kinds served besides the built-in ones. Throws StartError. */
export async function openStore({ options, clock, log, random }: LaunchOptions, folders: readonly ApiFolder[]): Promise<Store> {
  if (options["store-servers"].length === 0) return openEmbeddedStore({ options, clock })
  const { openServedStore } = await import("./etcd-servers.ts")
  return openServedStore({ options, clock, log, random, kinds: kindsServed(options, folders) })
}

/** The self-signed pair; undefined with `--tls-cert-file`. */
async function ownPair(how: LaunchOptions): Promise<ServingPair | undefined> {
  const { options, clock } = how
  const files = { certificate: options["tls-cert-file"], key: options["tls-private-key-file"] }
  if ((files.certificate === "") !== (files.key === ""))
    throw new CertificateError("--tls-cert-file and --tls-private-key-file go together")
  if (files.certificate !== "") return undefined
  const advertised = advertisedAddress({ advertise: options["advertise-address"], bind: options["bind-address"] })
  const names = servedNames({ vendor: vendorProfile(options.vendor), advertised, serviceRanges: options["service-cluster-ip-range"] })
  if (how.transient === true) return inMemoryPair({ names, clock })
  return selfSignedPair({ dir: options["cert-dir"] || join(options["data-dir"], "pki"), names, clock })
}

/**
 * Returns the secret of continue tokens. Servers of one store share it, because a list begun at one server may continue
 * at another.
 */
async function continueSecret(how: LaunchOptions, store: Store): Promise<Buffer> {
  const make = (): Buffer => how.random.bytes(32)
  if (how.options["store-servers"].length > 0) {
    const { sharedSecret } = await import("./etcd-servers.ts")
    return sharedSecret(store, { clock: how.clock, options: how.options, make })
  }
  const name = "continue.secret"
  const bytes = Buffer.from(
    secret(how, name, () => make().toString("base64")),
    "base64",
  )
  if (bytes.length < secretBytesMin)
    throw new StartError(`--data-dir: ${join(how.options["data-dir"], name)} is too short to be a secret; remove it, and a new one is made`)
  return bytes
}

/** Minimum size of the secret for the MAC of continue tokens; secrets created here have 32 bytes. */
const secretBytesMin = 16

function secret({ options, transient }: LaunchOptions, name: string, make: () => string): string {
  if (transient === true) return make()
  try {
    return readOrMakePrivateFile(join(options["data-dir"], name), make)
  } catch (error) {
    throw new StartError(`--data-dir: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Servers of one store would have different keys: they need the option. */
function ownTokenKey(how: LaunchOptions): string | undefined {
  return how.options["store-servers"].length > 0 ? undefined : secret(how, "service-account.key", newServiceAccountKey)
}

function localAddress(options: Options): string {
  if (options["advertise-address"] !== "") return options["advertise-address"]
  return isUnspecified(options["bind-address"]) ? "127.0.0.1" : options["bind-address"]
}

function startFault(error: unknown, options: Options): unknown {
  return error instanceof RefusedDefinitionsError ? new StartError(error.message) : listenError(error, options)
}

/** Turns the system's error about a port into one that names the option to change. */
function listenError(error: unknown, { "bind-address": host, "secure-port": port }: Options): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "EADDRINUSE") return new StartError(`port ${port} on ${host} is taken by another program; --secure-port names another one`)
  if (code === "EACCES") return new StartError(`port ${port} may not be opened by this user; --secure-port names another one, above 1023`)
  if (code === "EADDRNOTAVAIL") return new StartError(`${host} is not an address of this machine; --bind-address names another one`)
  return error
}
