/**
 * Every option of the server, once. Flags, environment variables, keys of the configuration file, help and
 * docs/OPTIONS.md are derived from it. An option is listed only if the server implements it (specification sections 5
 * and 8; names missing there are this project's).
 */
import { featureGateNames, featureGates } from "../base/feature-gates.ts"
import { authenticationOptions } from "./authentication-options.ts"
import { auditOptions } from "./audit-options.ts"
import { authorizationOptions } from "./authorization-options.ts"
import { option } from "./option.ts"
import { serviceAccountOptions } from "./service-account-options.ts"
import { signingOptions } from "./signing.ts"
import { tlsOptions } from "./tls-options.ts"
import { storeServer, storeServersOverride } from "./store-servers.ts"
import { watchCacheSize } from "./watch-cache-size.ts"
import {
  address,
  addressOrNone,
  boolean,
  cidr,
  duration,
  enablement,
  fraction,
  listOf,
  oneOf,
  originPattern,
  portRange,
  switches,
  text,
  transportDirective,
  wholeNumber,
} from "./value-types.ts"

const file = text("file")
const folder = text("folder")

/**
 * The default data folder. Each vendor has its own, since a store keeps the names of the vendor that filled it: a
 * change of `--vendor` deletes nothing.
 */
export function defaultDataDir(vendor: string): string {
  return vendor === "orch" ? ".orch" : `.orch-${vendor}`
}

export const optionTable = {
  "bind-address": option({
    type: address,
    group: "Serving",
    default: "0.0.0.0",
    help: "Address to listen on; 0.0.0.0 and :: mean all interfaces. npm start listens on 127.0.0.1 only.",
  }),
  "secure-port": option({
    type: wholeNumber({ min: 0, max: 65_535 }),
    group: "Serving",
    default: 6443,
    help: "HTTPS port, for both HTTP/1.1 and HTTP/2. 0 is any free one: the log and the kubeconfig name it.",
  }),
  "advertise-address": option({
    type: addressOrNone,
    group: "Serving",
    default: "",
    defaultText: "the bind address, else the host's first",
    help: "Address at which clients reach this server. Written to the self-signed certificate, the kubeconfig and the endpoints of the server's own Service.",
  }),
  "http2-max-streams-per-connection": option({
    type: wholeNumber({ min: 0, max: 100_000 }),
    group: "Serving",
    default: 0,
    help: "Requests that one HTTP/2 connection may have open at a time; 0 means 250.",
  }),
  "goaway-chance": option({
    type: fraction({ max: 0.02 }),
    group: "Serving",
    default: 0,
    help: "Fraction of requests over HTTP/2, from 0 to 0.02, after which their connection ends, so that clients spread over several servers. 0 is off; one server alone needs none.",
  }),
  "http2-implementation": option({
    type: oneOf("own", "node"),
    group: "Serving",
    default: "own",
    help: "Implementation of HTTP/2: own, or that of node, which is slower and bounds clients less (runtime/http2/README.md).",
  }),
  "cors-allowed-origins": option({
    type: listOf(originPattern, "regexps"),
    group: "Serving",
    default: [],
    help: "Origins whose pages may read responses, as regular expressions that anchor both ends of the host. None when empty.",
  }),
  "strict-transport-security-directives": option({
    type: listOf(transportDirective),
    group: "Serving",
    default: [],
    help: "Directives of the Strict-Transport-Security header: max-age=SECONDS, includeSubDomains, preload. No header when empty.",
  }),

  ...tlsOptions,

  ...authenticationOptions,
  "token-auth-file": option({
    type: file,
    group: "Authentication and authorization",
    default: "",
    help: 'File of bearer tokens, one per line: token,user,uid,"group,group". Read again when it changes.',
  }),
  "anonymous-auth": option({
    type: boolean,
    group: "Authentication and authorization",
    default: true,
    help: "Accept requests without credentials as system:anonymous. When off, they are refused on every path, health included. Always off with --authorization-mode=AlwaysAllow, which would give anonymous clients all rights.",
  }),
  "api-audiences": option({
    type: listOf(text("audience"), "audiences"),
    group: "Authentication and authorization",
    default: [],
    defaultText: "the first issuer of tokens of service accounts",
    help: "Names of this server that a token may be for. Tokens that name no audience are for all of them.",
  }),
  ...serviceAccountOptions,
  ...authorizationOptions,
  "enable-admission-plugins": option({
    type: listOf(text("plugin")),
    group: "Authentication and authorization",
    default: [],
    help: "Admission plugins that run besides the default ones, in any order. The start warns of those of kube-apiserver that this server does not have (SECURITY.md). A name that is not known stops it, with a list of those that are.",
  }),
  "disable-admission-plugins": option({
    type: listOf(text("plugin")),
    group: "Authentication and authorization",
    default: [],
    help: "Admission plugins that do not run although they do by default.",
  }),

  ...auditOptions,

  store: option({
    type: oneOf("lmdb", "memory"),
    group: "Store",
    default: "lmdb",
    help: "Where objects are stored: lmdb on disk in the data folder, memory until the process ends. Ignored when --store-servers names an etcd.",
  }),
  "store-servers": option({
    type: listOf(storeServer, "urls"),
    group: "Store",
    default: [],
    help: "Members of the etcd cluster that stores the objects, as scheme://host:port; several servers may share it. When empty, --store applies.",
  }),
  "store-servers-overrides": option({
    type: listOf(storeServersOverride, "overrides"),
    group: "Store",
    default: [],
    help: "A separate etcd cluster for one resource: group/resource#servers, servers separated by semicolons. Not for services and endpoints, which are written in one transaction.",
  }),
  "store-cafile": option({
    type: file,
    group: "Store",
    default: "",
    help: "PEM file with the certificate authority of etcd. Without it the system's authorities are trusted.",
  }),
  "store-certfile": option({
    type: file,
    group: "Store",
    default: "",
    help: "PEM file with the client certificate for etcd.",
  }),
  "store-keyfile": option({ type: file, group: "Store", default: "", help: "PEM file with the private key of --store-certfile." }),
  "store-healthcheck-timeout": option({
    type: duration({ minMs: 1 }),
    group: "Store",
    default: 2000,
    help: "How long /healthz and /livez wait for the store.",
  }),
  "store-readycheck-timeout": option({
    type: duration({ minMs: 1 }),
    group: "Store",
    default: 2000,
    help: "How long /readyz waits for the store.",
  }),
  "store-count-metric-poll-period": option({
    type: duration({ minMs: 0 }),
    group: "Store",
    default: 60_000,
    help: "How often objects are counted for /metrics; 0s means never.",
  }),
  "store-db-metric-poll-interval": option({
    type: duration({ minMs: 0 }),
    group: "Store",
    default: 30_000,
    help: "How often the size of the store is queried for /metrics; 0s means never.",
  }),
  "lease-reuse-duration-seconds": option({
    type: wholeNumber({ min: 0, max: 1_000_000 }),
    group: "Store",
    default: 60,
    help: "How much longer than its time to live an object may be kept in etcd, so that objects can share leases.",
  }),
  "data-dir": option({
    type: folder,
    group: "Store",
    default: defaultDataDir("orch"),
    defaultText: ".orch, and .orch-kubernetes with --vendor=kubernetes",
    help: "Folder for the store, the certificates and the administrator's credential. Created readable by its owner only.",
  }),
  "store-prefix": option({ type: text("path"), group: "Store", default: "/registry", help: "Prefix of every key in the store." }),
  "storage-media-type": option({
    type: oneOf("application/vnd.orch.protobuf", "application/vnd.kubernetes.protobuf", "application/json", "application/yaml"),
    group: "Store",
    default: "application/vnd.orch.protobuf",
    help: "Encoding of stored objects. The two names of the compact encoding mean the same; objects stored in another encoding stay readable.",
  }),
  "watch-cache": option({
    type: boolean,
    group: "Store",
    default: true,
    help: "Serve reads from memory. When off, every get, list and initial state of a watch is read from the store.",
  }),
  "watch-cache-sizes": option({
    type: listOf(watchCacheSize, "resource[.group]#size"),
    group: "Store",
    default: [],
    help: "A size of 0 turns the watch cache off for a resource. Other sizes have no effect: caches are as large as they need to be.",
  }),
  "event-ttl": option({ type: duration({ minMs: 1000 }), group: "Store", default: 3_600_000, help: "How long Events are kept." }),
  "store-compaction-interval": option({
    type: duration({ minMs: 0 }),
    group: "Store",
    default: 300_000,
    help: "How often the store drops history that clients can no longer request; 0s means never.",
  }),

  "service-cluster-ip-range": option({
    type: listOf(cidr, "cidrs"),
    group: "Services",
    default: ["10.0.0.0/24"],
    help: "Addresses for Services; two ranges, one per family, for dual stack.",
  }),
  "service-node-port-range": option({
    type: portRange,
    group: "Services",
    default: { first: 30_000, last: 32_767 },
    help: "Node ports for Services, both ends included.",
  }),

  "node-agent-preferred-address-types": option({
    type: listOf(oneOf("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"), "types"),
    group: "Other machines",
    default: ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"],
    help: "Order of preference among a node's addresses for logs, exec, attach, port forwarding and node proxies. The first type that the node has is used.",
  }),
  "node-agent-timeout": option({
    type: duration({ minMs: 1 }),
    group: "Other machines",
    default: 5000,
    help: "How long to wait for a connection to a node agent.",
  }),
  "node-agent-client-certificate": option({
    type: file,
    group: "Other machines",
    default: "",
    help: "PEM file with the client certificate for node agents.",
  }),
  "node-agent-client-key": option({
    type: file,
    group: "Other machines",
    default: "",
    help: "PEM file with the private key of --node-agent-client-certificate.",
  }),
  "node-agent-certificate-authority": option({
    type: file,
    group: "Other machines",
    default: "",
    help: "PEM file with the certificate authority of node agents. Without it their certificates are not verified.",
  }),
  "proxy-allowed-cidrs": option({
    type: listOf(cidr, "cidrs"),
    group: "Other machines",
    default: [],
    help: "Addresses to which requests may be proxied although they are loopback, link-local or this server's own. Other addresses are allowed anyway.",
  }),

  "request-timeout": option({
    type: duration({ minMs: 1 }),
    group: "Requests and shutdown",
    default: 60_000,
    help: "How long a request may take; watches may take longer.",
  }),
  "min-request-timeout": option({
    type: wholeNumber({ min: 1, max: 1_000_000 }),
    group: "Requests and shutdown",
    default: 1800,
    help: "Minimum seconds that a watch lasts if its client sets no timeout; the actual time is random, up to twice as long.",
  }),
  "max-requests-inflight": option({
    type: wholeNumber({ min: 0, max: 1_000_000 }),
    group: "Requests and shutdown",
    default: 400,
    help: "Maximum number of read requests in flight; further ones get 429. 0 means no limit. Watches, health probes and members of system:masters are exempt.",
  }),
  "max-mutating-requests-inflight": option({
    type: wholeNumber({ min: 0, max: 1_000_000 }),
    group: "Requests and shutdown",
    default: 200,
    help: "The same limit for all other requests, each of which may have a body of 3 MiB.",
  }),
  "delete-collection-workers": option({
    type: wholeNumber({ min: 1, max: 100 }),
    group: "Requests and shutdown",
    default: 1,
    help: "How many objects one request that deletes a collection deletes in parallel.",
  }),
  "shutdown-delay-duration": option({
    type: duration({ minMs: 0 }),
    group: "Requests and shutdown",
    default: 0,
    help: "How long to continue serving after SIGTERM while /readyz fails, so that load balancers can stop sending requests first.",
    programOnly: true,
  }),
  "shutdown-send-retry-after": option({
    type: boolean,
    group: "Requests and shutdown",
    default: false,
    help: "After that delay, answer new requests with 429 and Retry-After and close their connections until requests in flight are done. Otherwise the port is closed at once.",
  }),
  "shutdown-watch-termination-grace-period": option({
    type: duration({ minMs: 0 }),
    group: "Requests and shutdown",
    default: 0,
    help: "How long to wait for watches to end by themselves before ending them.",
  }),
  "livez-grace-period": option({
    type: duration({ minMs: 0 }),
    group: "Requests and shutdown",
    default: 0,
    help: "How long after the start /livez counts pending startup checks as passed.",
  }),

  vendor: option({
    type: oneOf("orch", "kubernetes"),
    group: "Kinds and features",
    default: "orch",
    help: "Names of groups, media types and labels: those of orch, or those that kubectl and its libraries know.",
  }),
  api: option({
    type: listOf(folder, "folders"),
    group: "Kinds and features",
    default: [],
    help: "Folder with kinds of your own, as written by gen --out. May be repeated.",
  }),
  crd: option({
    type: listOf(text("path"), "paths"),
    group: "Kinds and features",
    default: [],
    help: "Files of custom resource definitions, or folders of them, to install before the server is ready. May be repeated.",
  }),
  controllers: option({
    type: listOf(text("controller")),
    group: "Kinds and features",
    default: ["api", "clusterrole-aggregation-controller"],
    help: "Controllers that run in the server: api for those that the API itself promises, * for all, a name for one more, -name for all but one. A name that is not known stops the start, with a list of those that are.",
  }),
  ...signingOptions,
  "enable-garbage-collector": option({
    type: boolean,
    group: "Kinds and features",
    default: true,
    help: "Delete objects whose owners are gone. When off, deleting an owner leaves its dependents unchanged.",
  }),
  "concurrent-gc-syncs": option({
    type: wholeNumber({ min: 1, max: 1000 }),
    group: "Kinds and features",
    default: 20,
    help: "How many objects the garbage collector processes in parallel.",
  }),
  "allow-privileged": option({
    type: boolean,
    group: "Kinds and features",
    default: true,
    help: "Accept containers with the rights of their node: privileged ones, and host processes of Windows. When off, pods and templates with such a container are refused. The default of kube-apiserver is false.",
  }),
  "feature-gates": option({
    type: switches(...featureGateNames),
    group: "Kinds and features",
    default: featureGates,
    help: "APIResponseCompression: gzip for large responses. CRDValidationRatcheting: an update of a custom object does not have to mend what it leaves as it is. ClusterTrustBundle, VolumeAttributesClass: the kinds of these names, whose versions --runtime-config turns on. CustomResourceFieldSelectors: selectable fields of definitions. UnauthenticatedHTTP2DOSMitigation: an HTTP/2 connection ends after a request without a user. WatchList: lists streamed through a watch (sendInitialEvents).",
  }),
  "runtime-config": option({
    type: enablement,
    group: "Kinds and features",
    default: {},
    help: "Versions and resources to turn on or off: storage.orch.io/v1alpha1=true, batch/v1/cronjobs=false; api/alpha, api/beta, api/ga and api/all for many. Alpha versions are off, others on.",
  }),

  config: option({
    type: file,
    group: "Logs and files",
    default: "",
    help: "YAML or JSON file with any of these options. Flags take precedence over environment variables, and these over the file.",
    programOnly: true,
  }),
  "write-kubeconfig": option({
    type: file,
    group: "Logs and files",
    default: "",
    defaultText: "admin.kubeconfig in the data folder",
    help: "Where the administrator's kubeconfig is written, readable by its owner only.",
    programOnly: true,
  }),
  "logging-format": option({
    type: oneOf("text", "json"),
    group: "Logs and files",
    default: "text",
    help: "text for people, or json: one object per line. Logs go to standard error.",
    programOnly: true,
  }),
  v: option({
    type: wholeNumber({ min: 0, max: 10 }),
    group: "Logs and files",
    default: 0,
    short: "v",
    help: "Verbosity of the log: 4 and above for debugging, with a line for each request; 6 and above for everything.",
    programOnly: true,
  }),
} as const

export type OptionName = keyof typeof optionTable

/** The value of every option. */
export type Options = { readonly [Name in OptionName]: (typeof optionTable)[Name]["default"] }

/** Names in the order of the table. */
export const optionNames: readonly OptionName[] = Object.keys(optionTable).filter(isOptionName)

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionTable, name)
}
