/** The parts of a running server, assembled once by `server.ts` and read by filters and verbs. */
import type { Logger } from "pino"
import type { Audit } from "./audit/audit.ts"
import type { Authenticator } from "./authn/authenticate.ts"
import type { ServiceAccountTokens } from "./authn/service-accounts/tokens.ts"
import type { Authorizer } from "./authz/authorize.ts"
import type { NodeGraph } from "./authz/node/graph.ts"
import type { RbacPolicy } from "./authz/rbac/policy.ts"
import type { Clock } from "./base/clock.ts"
import type { Connector } from "./connect/connector.ts"
import type { Hooks } from "./hooks/hooks.ts"
import type { AccessMetrics } from "./observability/access-metrics.ts"
import type { HealthResults } from "./observability/health-results.ts"
import type { HealthChecks } from "./observability/health.ts"
import type { StorageMeasures, WatchCacheMeasures } from "./observability/metrics.ts"
import type { LoopMeter } from "./observability/loop-delay.ts"
import type { ConversionMetrics } from "./observability/conversion-metrics.ts"
import type { RequestCounts } from "./observability/request-counts.ts"
import type { StoreLatencies } from "./observability/store-metrics.ts"
import type { WorkQueueMetrics } from "./observability/work-queue-metrics.ts"
import type { InFlightRequests } from "./observability/in-flight.ts"
import type { ProtobufCodec } from "./encoding/protobuf/codec.ts"
import type { Access } from "./schema/access.ts"
import type { KindParts } from "./schema/kind.ts"
import type { TypeShape } from "./schema/shape.ts"
import type { Options } from "./options/table.ts"
import type { Random } from "./base/random.ts"
import type { KindTable } from "./registry/kinds.ts"
import type { OpenWatches } from "./registry/open-watches.ts"
import type { Registry } from "./registry/registry.ts"
import type { Vendor } from "./base/vendor.ts"

/** Decodes bodies of one kind: resources, and kinds that are only bodies (DeleteOptions, Scale, Binding). */
export interface KindBody {
  readonly kind: string
  /** In wire form. */
  readonly apiVersion: string
  readonly shape: TypeShape
  readonly codec: ProtobufCodec
  readonly applyDefaults: KindParts["applyDefaults"]
  /** Validates the fields by the schema. Called only for bodies that nothing else validates: query options. */
  readonly validate: KindParts["validate"]
}

export interface ServerParts {
  readonly vendor: Vendor
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** The options of the command line, by name. */
  readonly options: Options
  readonly kinds: KindTable
  readonly registry: Registry
  /**
   * Returns a kind that is only a body, by its neutral name; loaded on first use. Throws for one that was never
   * generated.
   */
  readonly body: (kind: { group: string; version: string; kind: string }) => Promise<KindBody>
  /** Sends requests to other machines: node agents and the targets of proxy paths. */
  readonly connector: Connector
  /** Calls web hooks, also for conversions of custom objects. */
  readonly hooks: Hooks
  /** Absent: no request is recorded. */
  readonly audit?: Audit
  readonly authenticators: readonly Authenticator[]
  /** Removes the header fields in which proxies name users. Absent: there are no such proxies. */
  readonly removeHeaders: ((headers: Record<string, unknown>) => void) | undefined
  /** The audiences of which a token must have one. Empty: the audience of a token does not count. */
  readonly audiences: readonly string[]
  /** Undefined: the server neither makes nor knows tokens of service accounts. */
  readonly serviceAccounts: ServiceAccountTokens | undefined
  readonly authorizers: readonly Authorizer[]
  /** The roles and bindings, which are followed if RBAC is among the modes. */
  readonly rbacPolicy: RbacPolicy
  /** The pods of nodes and the objects that they refer to, which are followed if Node is among the modes. */
  readonly nodeGraph: NodeGraph
  /** Authentication and authorization for reviews, which check tokens and permissions. */
  readonly access: Access
  /** Measurements of authentication and authorization, for `/metrics`. */
  readonly accessMetrics: AccessMetrics
  readonly health: HealthChecks
  /** Results of the health checks, for `/metrics/slis`. */
  readonly healthResults: HealthResults
  /** Counts of requests, for `/metrics`. */
  readonly requestCounts: RequestCounts
  readonly conversions: ConversionMetrics
  /** Measurements of the watch cache, for `/metrics`. */
  readonly watchCache: WatchCacheMeasures
  /** The work queues of controllers, for `/metrics`. */
  readonly workQueues: WorkQueueMetrics
  /** Latencies of the store, for `/metrics`. */
  readonly storeLatencies: StoreLatencies
  /** Measurements of the storage, for `/metrics`. */
  readonly storage: StorageMeasures
  /**
   * The OpenAPI documents in neutral names, as the generator wrote them: `v2`, `v3/api/v1`, `v3/apis/apps/v1` → JSON
   * text.
   */
  readonly openapi: ReadonlyMap<string, () => Promise<Buffer>>
  /** Delay of the event loop, for `/metrics`. */
  readonly loopDelay: LoopMeter
  /** The requests in flight. */
  readonly inFlight: InFlightRequests
  /** Aborted when the server begins to refuse requests, `--shutdown-send-retry-after`. */
  readonly rejecting: AbortSignal
  readonly watches: OpenWatches
  /** Aborted when the server stops, which ends watches. */
  readonly stopping: AbortSignal
}
