/**
 * A whole server inside the test's process: real store, real TLS on a free port of loopback, with time and chance in the test's hands.
 * For tests of the API; what starts from a command line is tested through `server.ts`.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bodies, kinds } from "../../generated/index.ts"
import { builtInDocuments } from "../../runtime/api-documents.ts"
import { passingPair, type ServingPair } from "../../runtime/certificates.ts"
import { systemClock } from "../../runtime/clock.ts"
import type { ConnectOptions } from "../../runtime/connect/connector.ts"
import type { TimeLimits } from "../../runtime/http/time-limits.ts"
import { createLog } from "../../runtime/logging.ts"
import { watchCacheSize } from "../../runtime/options/watch-cache-size.ts"
import { type Random, systemRandom } from "../../runtime/random.ts"
import { type RunningServer, startServer } from "../../runtime/server.ts"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import { openMemoryStore } from "../../runtime/storage/memory/memory-store.ts"
import type { Store } from "../../runtime/storage/store.ts"
import type { VendorName } from "../../runtime/vendor.ts"
import { createManualClock, type ManualClock } from "../contract/manual-clock.ts"

export type StoreName = "memory" | "lmdb"

export interface InProcessOptions {
  readonly store: StoreName
  readonly vendor: VendorName
  /** Folder of an lmdb store that outlives this server; one of its own when absent. */
  readonly dir?: string
  /** Gate `WatchList`; default off, as in release 1.30. */
  readonly watchList?: boolean
  /** Default on. */
  readonly compressResponses?: boolean
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
  /** Default off: a request without its credential is refused. */
  readonly anonymousAuth?: boolean
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
  /** Puts something between the server and its store, before it starts. */
  readonly wrapStore?: (store: Store, clock: ManualClock) => Store
  /** How other machines are reached; default as a server without options. */
  readonly connect?: ConnectOptions
}

export interface InProcess {
  readonly server: RunningServer
  readonly store: Store
  readonly clock: ManualClock
  readonly random: ScriptedRandom
  readonly port: number
  /** What the server had to say, line by line. */
  readonly log: readonly string[]
  /** PEM text of what clients trust. */
  readonly authority: string
  /** Of a member of `system:masters`. */
  readonly token: string
  stop(): Promise<void>
}

export const adminToken = "in-process-token"
/** Of a user without groups. */
export const plainToken = "in-process-plain-token"

/** Called once per server a test needs. `stop` removes what it left on disk. */
export async function startInProcess(options: InProcessOptions): Promise<InProcess> {
  const clock = createManualClock()
  const random = createScriptedRandom()
  const log: string[] = []
  const dir = options.store === "lmdb" ? (options.dir ?? (await mkdtemp(join(tmpdir(), "api-store-")))) : undefined
  const opened = dir === undefined ? await openMemoryStore({ clock }) : await openLmdbStore({ dir, clock })
  const store = options.wrapStore?.(opened, clock) ?? opened
  const pair = await loopbackPair()
  const server = await startServer({
    vendor: options.vendor,
    store,
    clock,
    random,
    kinds,
    bodies,
    storePrefix: "registry",
    storageFormat: "compact",
    log: createLog({ format: "text", verbosity: 0, write: (line) => log.push(line) }),
    settings: {
      anonymousAuth: options.anonymousAuth ?? false,
      requestTimeoutMs: 60_000,
      requestsInFlightMax: options.requestsInFlight?.readOnly ?? 0,
      mutatingRequestsInFlightMax: options.requestsInFlight?.mutating ?? 0,
      strictTransportSecurity: options.strictTransportSecurity ?? [],
      corsAllowedOrigins: (options.corsAllowedOrigins ?? []).map((pattern) => new RegExp(pattern)),
      minRequestTimeoutMs: 1_800_000,
      watchList: options.watchList ?? false,
      compressResponses: options.compressResponses ?? true,
      ...(options.deleteCollectionWorkers !== undefined && { deleteCollectionWorkers: options.deleteCollectionWorkers }),
    },
    openapi: builtInDocuments(),
    tokens: [
      { token: adminToken, user: { name: "admin", groups: ["system:masters"], extra: {} } },
      { token: plainToken, user: { name: "plain", groups: [], extra: {} } },
    ],
    authorizationModes: ["AlwaysAllow"],
    ttlSeconds: { "event-ttl": 3600 },
    ...(options.connectionTimes !== undefined && { connectionTimes: options.connectionTimes }),
    ...(options.shutdownSendRetryAfter !== undefined && { shutdownSendRetryAfter: options.shutdownSendRetryAfter }),
    ...(options.garbageCollector !== undefined && { garbageCollector: options.garbageCollector }),
    ...(options.compactionIntervalMs !== undefined && { compactionIntervalMs: options.compactionIntervalMs }),
    ...(options.connect !== undefined && { connect: options.connect }),
    watchCache: {
      enabled: options.watchCache ?? true,
      sizes: (options.uncached ?? []).flatMap((name) => watchCacheSize.parse(`${name}#0`) ?? []),
    },
    behaviourOptions: {
      serviceClusterIpRange: options.serviceClusterIpRange ?? ["10.0.0.0/22"],
      serviceNodePortRange: options.serviceNodePortRange ?? { first: 30000, last: 32767 },
    },
    tokenSecret: Buffer.from("a secret of tests"),
    host: "127.0.0.1",
    port: 0,
    tls: { certificate: pair.certificate, key: pair.key },
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

/** Real chance, unless a test has said what is drawn next. */
export interface ScriptedRandom extends Random {
  /** The answers of the next calls of `integer`, modulo what the caller asks for. */
  draw(integers: readonly number[]): void
  /** Forgets what was not drawn. */
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

/** One certificate for all servers of a process: what TLS proves is tested elsewhere. Its life is measured by the real clock, as clients do. */
function loopbackPair(): Promise<ServingPair> {
  pair ??= passingPair({ names: ["localhost", "127.0.0.1"], clock: systemClock })
  return pair
}
