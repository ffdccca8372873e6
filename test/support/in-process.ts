/**
 * A whole server in the test's process: real store, real TLS on a free loopback port, with time and randomness under
 * the test's control. For tests of the API; `server.ts` covers starting from a command line.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { api, bodies, kinds } from "../../generated/index.ts"
import type { Policy } from "../../runtime/audit/policy.ts"
import type { AdmissionPlugin } from "../../runtime/admission/plugin.ts"
import type { Signing } from "../../runtime/controllers/certificates/signers.ts"
import type { ServiceAccountTokens } from "../../runtime/authn/service-accounts/tokens.ts"
import { enabledKinds } from "../../runtime/launch/enabled-kinds.ts"
import { servedDocuments } from "../../runtime/launch/served-documents.ts"
import { builtInDocuments } from "../../runtime/launch/openapi-files.ts"
import { inMemoryPair, type ServingPair } from "../../runtime/launch/certificates.ts"
import { systemClock } from "../../runtime/base/clock.ts"
import type { ConnectOptions } from "../../runtime/connect/connector.ts"
import type { TimeLimits } from "../../runtime/http/time-limits.ts"
import { fixedTls } from "../../runtime/http/tls.ts"
import { createLog } from "../../runtime/launch/logging.ts"
import { defaultOptions } from "../../runtime/options/load.ts"
import type { Options } from "../../runtime/options/table.ts"
import { watchCacheSize } from "../../runtime/options/watch-cache-size.ts"
import { type Random, systemRandom } from "../../runtime/base/random.ts"
import type { User } from "../../runtime/base/user.ts"
import { type RunningServer, startServer } from "../../runtime/server.ts"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import { openMemoryStore } from "../../runtime/storage/memory/memory-store.ts"
import type { Store } from "../../runtime/storage/store.ts"
import { type VendorName, vendorProfile } from "../../runtime/base/vendor.ts"
import { kindsOfVendor } from "../../runtime/definitions/definition-kind.ts"
import { createManualClock, type ManualClock } from "../contract/manual-clock.ts"

export type StoreName = "memory" | "lmdb"

export interface InProcessOptions {
  readonly store: StoreName
  readonly vendor: VendorName
  /** Folder of an lmdb store that outlives this server; absent: a temporary one. */
  readonly dir?: string
  /** Gate `WatchList`; default off, as in release 1.30. */
  readonly watchList?: boolean
  /** `--runtime-config`; default none. */
  readonly runtimeConfig?: Options["runtime-config"]
  /** Further gates; default as in release 1.30. */
  readonly gates?: Options["feature-gates"]
  /** Default on. */
  readonly compressResponses?: boolean
  /** `--http2-implementation`; default `own`. */
  readonly http2?: "own" | "node"
  /** Default twenty seconds of real time. */
  readonly connectionTimes?: Partial<TimeLimits>
  /** Default on. */
  readonly garbageCollector?: boolean
  /** Default 1. */
  readonly deleteCollectionWorkers?: number
  /** Default five minutes; 0: never. */
  readonly compactionIntervalMs?: number
  /** `--strict-transport-security-directives`; default none. */
  readonly strictTransportSecurity?: readonly string[]
  /** `--cors-allowed-origins`, regular expressions; default none. */
  readonly corsAllowedOrigins?: readonly string[]
  /** `--shutdown-send-retry-after`; default off. */
  readonly shutdownSendRetryAfter?: boolean
  /** Default off: a request without a credential is refused. */
  readonly anonymousAuth?: boolean
  /** `--authorization-mode=AlwaysDeny`; default AlwaysAllow. */
  readonly alwaysDeny?: boolean
  /** `--authorization-mode`, in place of `alwaysDeny`. */
  readonly authorizationModes?: Options["authorization-mode"]
  /** Default `10.0.0.0/22`. */
  readonly serviceClusterIpRange?: readonly string[]
  /** Default 30000-32767. */
  readonly serviceNodePortRange?: { readonly first: number; readonly last: number }
  /** `--watch-cache`; default on. */
  readonly watchCache?: boolean
  /** `--max-requests-inflight` and `--max-mutating-requests-inflight`; default 0, no limit. */
  readonly requestsInFlight?: { readonly readOnly: number; readonly mutating: number }
  /** Resources with a size of 0 in `--watch-cache-sizes`, as `resource` or `resource.group`; default none. */
  readonly uncached?: readonly string[]
  /** Other servers write to the same store; default no. */
  readonly sharedStore?: boolean
  /** Wraps the server's store before it starts. */
  readonly wrapStore?: (store: Store, clock: ManualClock) => Store
  /** `-v`; default 0. */
  readonly verbosity?: number
  /** Further users; the token of each is its name. */
  readonly users?: readonly User[]
  /** Keys and issuers of tokens of service accounts; default none. */
  readonly serviceAccounts?: ServiceAccountTokens
  /** `--enable-bootstrap-token-auth`; default off. */
  readonly bootstrapTokens?: boolean
  /** The policy of audit and the file of its events; default none. */
  readonly audit?: { readonly policy: Policy; readonly log: string }
  /** `--enable-admission-plugins`; default none. */
  readonly enableAdmission?: readonly string[]
  /** Admission plugins of the test, after the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[]
  /** `--controllers`; default as in a server without options. */
  readonly controllers?: readonly string[]
  /** Keys that sign certificates; default none. */
  readonly signing?: Signing
  /** The server's clock; default one that begins in 2023. */
  readonly clock?: ManualClock
  /** Connections to other machines; default as in a server without options. */
  readonly connect?: ConnectOptions
}

export interface InProcess {
  readonly server: RunningServer
  readonly store: Store
  readonly clock: ManualClock
  readonly random: ScriptedRandom
  readonly port: number
  /** The server's log, line by line. */
  readonly log: readonly string[]
  /** PEM of the authority that clients trust. */
  readonly authority: string
  /** Token of a member of `system:masters`. */
  readonly token: string
  stop(): Promise<void>
}

/** Options with which every version of every kind is on. */
export const everyVersion = {
  runtimeConfig: { "api/all": true },
  gates: { ClusterTrustBundle: true, VolumeAttributesClass: true },
} satisfies Partial<InProcessOptions>

export const adminToken = "in-process-token"
/** Token of a user without groups. */
export const plainToken = "in-process-plain-token"

/** Called once per server in a test. `stop` removes its files. */
export async function startInProcess(options: InProcessOptions): Promise<InProcess> {
  const clock = options.clock ?? createManualClock()
  const random = createScriptedRandom()
  const log: string[] = []
  const dir = options.store === "lmdb" ? (options.dir ?? (await mkdtemp(join(tmpdir(), "api-store-")))) : undefined
  const opened = dir === undefined ? await openMemoryStore({ clock }) : await openLmdbStore({ dir, clock })
  const store = options.wrapStore?.(opened, clock) ?? opened
  const pair = await loopbackPair()
  const serverOptions = optionsOf(options)
  const vendor = vendorProfile(options.vendor)
  const on = enabledKinds(kinds, { options: serverOptions, vendor })
  const server = await startServer({
    options: serverOptions,
    store,
    clock,
    random,
    kinds: kindsOfVendor(on, vendor),
    bodies,
    api,
    log: createLog({ format: "text", verbosity: options.verbosity ?? 0, write: (line) => log.push(line) }),
    openapi: servedDocuments(builtInDocuments(), kinds, on),
    ...(options.audit !== undefined && { audit: { policy: { current: options.audit.policy, onChange: () => {} }, stop: () => {} } }),
    ...(options.admission !== undefined && { admission: options.admission }),
    tokens: [
      { token: adminToken, user: { name: "admin", groups: ["system:masters"], extra: {} } },
      { token: plainToken, user: { name: "plain", groups: [], extra: {} } },
      ...(options.users ?? []).map((user) => ({ token: user.name, user })),
    ],
    ...(options.connectionTimes !== undefined && { connectionTimes: options.connectionTimes }),
    ...(options.connect !== undefined && { connect: options.connect }),
    ...(options.signing !== undefined && { signing: options.signing }),
    ...(options.sharedStore !== undefined && { sharedStore: options.sharedStore }),
    ...(options.serviceAccounts !== undefined && { serviceAccounts: options.serviceAccounts }),
    tokenSecret: Buffer.from("a secret of tests"),
    serving: fixedTls(pair),
  })
  return {
    server,
    store,
    clock,
    random,
    log,
    port: server.port,
    authority: pair.authority,
    token: adminToken,
    async stop() {
      await server.stop()
      if (dir !== undefined && options.dir === undefined) await rm(dir, { recursive: true })
    },
  }
}

function optionsOf(options: InProcessOptions): Options {
  const defaults = defaultOptions()
  return {
    ...defaults,
    vendor: options.vendor,
    "audit-log-path": options.audit?.log ?? "",
    "bind-address": "127.0.0.1",
    "secure-port": 0,
    "http2-implementation": options.http2 ?? "own",
    "authorization-mode": options.authorizationModes ?? [options.alwaysDeny === true ? "AlwaysDeny" : "AlwaysAllow"],
    "enable-admission-plugins": options.enableAdmission ?? [],
    controllers: options.controllers ?? defaults.controllers,
    "enable-bootstrap-token-auth": options.bootstrapTokens ?? false,
    "anonymous-auth": options.anonymousAuth ?? false,
    "max-requests-inflight": options.requestsInFlight?.readOnly ?? 0,
    "max-mutating-requests-inflight": options.requestsInFlight?.mutating ?? 0,
    "strict-transport-security-directives": options.strictTransportSecurity ?? [],
    "cors-allowed-origins": (options.corsAllowedOrigins ?? []).map((pattern) => new RegExp(pattern)),
    "runtime-config": options.runtimeConfig ?? {},
    "feature-gates": {
      ...defaults["feature-gates"],
      ...options.gates,
      WatchList: options.watchList ?? false,
      APIResponseCompression: options.compressResponses ?? true,
    },
    "delete-collection-workers": options.deleteCollectionWorkers ?? defaults["delete-collection-workers"],
    "shutdown-send-retry-after": options.shutdownSendRetryAfter ?? false,
    "enable-garbage-collector": options.garbageCollector ?? true,
    "store-compaction-interval": options.compactionIntervalMs ?? defaults["store-compaction-interval"],
    // No test of these servers scrapes metrics.
    "store-count-metric-poll-period": 0,
    "store-db-metric-poll-interval": 0,
    "watch-cache": options.watchCache ?? true,
    "watch-cache-sizes": (options.uncached ?? []).flatMap((name) => watchCacheSize.parse(`${name}#0`) ?? []),
    "service-cluster-ip-range": options.serviceClusterIpRange ?? ["10.0.0.0/22"],
    "service-node-port-range": options.serviceNodePortRange ?? { first: 30000, last: 32767 },
  }
}

/** Real randomness, unless a test set the next draws. */
export interface ScriptedRandom extends Random {
  /** Sets the results of the next calls of `integer`, modulo the range that the caller requests. */
  draw(integers: readonly number[]): void
  /** Discards the remaining draws. */
  clear(): void
}

function createScriptedRandom(): ScriptedRandom {
  let scripted: number[] = []
  return {
    uuid: () => systemRandom.uuid(),
    bytes: (length) => systemRandom.bytes(length),
    integer: (below) => (scripted.shift() ?? systemRandom.integer(below)) % below,
    draw: (integers) => scripted.push(...integers),
    clear: () => {
      scripted = []
    },
  }
}

let pair: Promise<ServingPair> | undefined

/**
 * One certificate for all servers of a process, since TLS itself is tested elsewhere. Its validity uses the real clock,
 * as clients do.
 */
function loopbackPair(): Promise<ServingPair> {
  pair ??= inMemoryPair({ names: ["localhost", "127.0.0.1"], clock: systemClock })
  return pair
}
