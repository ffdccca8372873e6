/**
 * Every option of the server, once: flag, environment variable, key of the configuration file, help and the README's table come from here. An
 * option is in this table only when the server does what it says (specification sections 5 and 8; names without a source there are ours).
 */
import { option } from "./option.ts"
import { storeServer, storeServersOverride } from "./store-servers.ts"
import { watchCacheSize } from "./watch-cache-size.ts"
import {
  address,
  addressOrNone,
  boolean,
  cidr,
  duration,
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

export const optionTable = {
  "bind-address": option({
    type: address,
    group: "Serving",
    default: "0.0.0.0",
    help: "Address to listen on; 0.0.0.0 and :: are all interfaces. npm start listens on 127.0.0.1 only.",
  }),
  "secure-port": option({
    type: wholeNumber({ min: 1, max: 65_535 }),
    group: "Serving",
    default: 6443,
    help: "Port of HTTPS, for HTTP/1.1 and HTTP/2 alike.",
  }),
  "advertise-address": option({
    type: addressOrNone,
    group: "Serving",
    default: "",
    defaultText: "the bind address, else the host's first",
    help: "Address that clients reach this server at: in the certificate made here, the kubeconfig, and the endpoints of the server's own Service.",
  }),
  "http2-max-streams-per-connection": option({
    type: wholeNumber({ min: 0, max: 100_000 }),
    group: "Serving",
    default: 0,
    help: "Requests that one HTTP/2 connection may have open at a time; 0 means 250.",
  }),
  "cors-allowed-origins": option({
    type: listOf(originPattern, "regexps"),
    group: "Serving",
    default: [],
    help: "Origins whose pages may read answers, as regular expressions that pin both ends of the host. None when empty.",
  }),
  "strict-transport-security-directives": option({
    type: listOf(transportDirective),
    group: "Serving",
    default: [],
    help: "What to send as Strict-Transport-Security: max-age=SECONDS, includeSubDomains, preload. No such header when empty.",
  }),

  "cert-dir": option({
    type: folder,
    group: "Certificates",
    default: "",
    defaultText: "pki in the data folder",
    help: "Where the self-signed certificate is made and found again. Not used when --tls-cert-file is given.",
  }),
  "tls-cert-file": option({
    type: file,
    group: "Certificates",
    default: "",
    help: "PEM file with the serving certificate and the certificates between it and its authority.",
  }),
  "tls-private-key-file": option({ type: file, group: "Certificates", default: "", help: "PEM file with the key of --tls-cert-file." }),
  "tls-min-version": option({
    type: oneOf("VersionTLS12", "VersionTLS13"),
    group: "Certificates",
    default: "VersionTLS12",
    help: "Oldest TLS that is accepted.",
  }),

  "token-auth-file": option({
    type: file,
    group: "Who may",
    default: "",
    help: 'File of bearer tokens, one a line: token,user,uid,"group,group".',
  }),
  "anonymous-auth": option({
    type: boolean,
    group: "Who may",
    default: true,
    help: "Let requests without a credential pass as system:anonymous. Off whenever --authorization-mode has AlwaysAllow: anybody could do anything.",
  }),
  "authorization-mode": option({
    type: listOf(oneOf("AlwaysAllow", "AlwaysDeny")),
    group: "Who may",
    default: ["AlwaysAllow"],
    help: "Who decides whether a user may, asked in this order. Members of system:masters always may.",
  }),

  store: option({
    type: oneOf("lmdb", "memory"),
    group: "Store",
    default: "lmdb",
    help: "Where objects are kept: lmdb on disk in the data folder, memory until the process ends. Neither when --store-servers names an etcd.",
  }),
  "store-servers": option({
    type: listOf(storeServer, "urls"),
    group: "Store",
    default: [],
    help: "Members of the etcd cluster that keeps the objects, as scheme://host:port; several servers may share it. None: see --store.",
  }),
  "store-servers-overrides": option({
    type: listOf(storeServersOverride, "overrides"),
    group: "Store",
    default: [],
    help: "Another etcd cluster for one resource: group/resource#servers, with semicolons between the servers. Not for services and endpoints, which change together.",
  }),
  "store-cafile": option({
    type: file,
    group: "Store",
    default: "",
    help: "PEM file with the authority of etcd's certificates. Without it the system's are trusted.",
  }),
  "store-certfile": option({
    type: file,
    group: "Store",
    default: "",
    help: "PEM file with the certificate that this server shows to etcd.",
  }),
  "store-keyfile": option({ type: file, group: "Store", default: "", help: "PEM file with the key of --store-certfile." }),
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
    help: "How often objects are counted for /metrics; 0s never.",
  }),
  "store-db-metric-poll-interval": option({
    type: duration({ minMs: 0 }),
    group: "Store",
    default: 30_000,
    help: "How often the store is asked for its size for /metrics; 0s never.",
  }),
  "lease-reuse-duration-seconds": option({
    type: wholeNumber({ min: 0, max: 1_000_000 }),
    group: "Store",
    default: 60,
    help: "How much longer than asked an object with a time to live may be kept in etcd, so that objects share leases.",
  }),
  "data-dir": option({
    type: folder,
    group: "Store",
    default: ".orch",
    help: "Folder for the store, the certificate and the administrator's token. Made for the owner's eyes only.",
  }),
  "store-prefix": option({ type: text("path"), group: "Store", default: "/registry", help: "What every key in the store begins with." }),
  "storage-media-type": option({
    type: oneOf("application/vnd.orch.protobuf", "application/vnd.kubernetes.protobuf", "application/json", "application/yaml"),
    group: "Store",
    default: "application/vnd.orch.protobuf",
    help: "How objects are written to the store. Either spelling of the compact encoding means the same; what was written otherwise stays readable.",
  }),
  "watch-cache": option({
    type: boolean,
    group: "Store",
    default: true,
    help: "Answer reads from memory. Off, every get, list and initial state of a watch is read from the store.",
  }),
  "watch-cache-sizes": option({
    type: listOf(watchCacheSize, "resource[.group]#size"),
    group: "Store",
    default: [],
    help: "Resources that are read from the store although --watch-cache is on: those with a size of 0. Other sizes mean nothing, caches have the size they need.",
  }),
  "event-ttl": option({ type: duration({ minMs: 1000 }), group: "Store", default: 3_600_000, help: "How long Events are kept." }),
  "store-compaction-interval": option({
    type: duration({ minMs: 0 }),
    group: "Store",
    default: 300_000,
    help: "How often history that no client can ask for any more is dropped from the store; 0s never.",
  }),

  "service-cluster-ip-range": option({
    type: listOf(cidr, "cidrs"),
    group: "Services",
    default: ["10.0.0.0/24"],
    help: "Addresses given to Services; two ranges, one per family, for dual stack.",
  }),
  "service-node-port-range": option({
    type: portRange,
    group: "Services",
    default: { first: 30_000, last: 32_767 },
    help: "Ports given to Services on every node, both ends included.",
  }),

  "node-agent-preferred-address-types": option({
    type: listOf(oneOf("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"), "types"),
    group: "Other machines",
    default: ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"],
    help: "Which of a node's addresses its agent is reached at for logs, exec, attach, port forwarding and node proxies: the first there is.",
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
    help: "PEM file with the certificate that this server shows to node agents.",
  }),
  "node-agent-client-key": option({
    type: file,
    group: "Other machines",
    default: "",
    help: "PEM file with the key of --node-agent-client-certificate.",
  }),
  "node-agent-certificate-authority": option({
    type: file,
    group: "Other machines",
    default: "",
    help: "PEM file with the authority of the node agents' certificates. Without it they are not verified.",
  }),
  "proxy-allowed-cidrs": option({
    type: listOf(cidr, "cidrs"),
    group: "Other machines",
    default: [],
    help: "Addresses that requests may be passed on to although they are loopback, link-local or this server's own; others need no mention.",
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
    help: "Seconds that a watch lasts when its client asks for no other time, drawn up to twice as long.",
  }),
  "max-requests-inflight": option({
    type: wholeNumber({ min: 0, max: 1_000_000 }),
    group: "Requests and shutdown",
    default: 400,
    help: "Reading requests that may be in flight; more are answered 429. 0 is no limit. Watches, probes of health and members of system:masters do not wait.",
  }),
  "max-mutating-requests-inflight": option({
    type: wholeNumber({ min: 0, max: 1_000_000 }),
    group: "Requests and shutdown",
    default: 200,
    help: "The same for all other requests: each may hold a body of 3 MiB.",
  }),
  "delete-collection-workers": option({
    type: wholeNumber({ min: 1, max: 100 }),
    group: "Requests and shutdown",
    default: 1,
    help: "How many objects of a collection are deleted at once by one request.",
  }),
  "shutdown-delay-duration": option({
    type: duration({ minMs: 0 }),
    group: "Requests and shutdown",
    default: 0,
    help: "How long to go on serving after SIGTERM while /readyz fails, so that load balancers look elsewhere first.",
  }),
  "shutdown-send-retry-after": option({
    type: boolean,
    group: "Requests and shutdown",
    default: false,
    help: "After that delay, answer new requests 429 with Retry-After on connections that close, until those in flight are done; without it, the port is closed at once.",
  }),
  "shutdown-watch-termination-grace-period": option({
    type: duration({ minMs: 0 }),
    group: "Requests and shutdown",
    default: 0,
    help: "How long to let watches go by themselves before they are ended.",
  }),
  "livez-grace-period": option({
    type: duration({ minMs: 0 }),
    group: "Requests and shutdown",
    default: 0,
    help: "How long after the start /livez takes for granted that what is still being prepared will succeed.",
  }),

  vendor: option({
    type: oneOf("orch", "kubernetes"),
    group: "Kinds and features",
    default: "orch",
    help: "Whose names to use: groups, media types and labels of orch, or those that kubectl and its libraries know.",
  }),
  api: option({
    type: listOf(folder, "folders"),
    group: "Kinds and features",
    default: [],
    help: "Folder of kinds of your own, as written by npm run gen -- --out. May be repeated.",
  }),
  "enable-garbage-collector": option({
    type: boolean,
    group: "Kinds and features",
    default: true,
    help: "Delete what belongs to owners that are gone. Off, deleting an owner leaves its dependents as they are.",
  }),
  "concurrent-gc-syncs": option({
    type: wholeNumber({ min: 1, max: 1000 }),
    group: "Kinds and features",
    default: 20,
    help: "How many objects the garbage collector looks at at once.",
  }),
  "feature-gates": option({
    type: switches("APIResponseCompression", "WatchList"),
    group: "Kinds and features",
    default: { APIResponseCompression: true, WatchList: false },
    help: "APIResponseCompression: gzip for large answers. WatchList: lists streamed through a watch (sendInitialEvents).",
  }),

  config: option({
    type: file,
    group: "Logs and files",
    default: "",
    help: "YAML or JSON file with any of these options. Flags win over environment variables, those over this file.",
  }),
  "write-kubeconfig": option({
    type: file,
    group: "Logs and files",
    default: "",
    defaultText: "admin.kubeconfig in the data folder",
    help: "Where the administrator's kubeconfig is written, readable by its owner only.",
  }),
  "logging-format": option({
    type: oneOf("text", "json"),
    group: "Logs and files",
    default: "text",
    help: "Lines for people, or one JSON object each. Logs go to the standard error stream.",
  }),
  v: option({
    type: wholeNumber({ min: 0, max: 10 }),
    group: "Logs and files",
    default: 0,
    short: "v",
    help: "How much is logged: 4 and more for debugging, 6 and more for everything.",
  }),
} as const

export type OptionName = keyof typeof optionTable

/** Every option with its value. */
export type Options = { readonly [Name in OptionName]: (typeof optionTable)[Name]["default"] }

/** Names in the order of the table. */
export const optionNames: readonly OptionName[] = Object.keys(optionTable).filter(isOptionName)

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionTable, name)
}
