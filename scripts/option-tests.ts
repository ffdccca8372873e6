/** The test that covers each option's effect, or its value where it is read: the last column of docs/OPTIONS.md. */
import type { OptionName } from "../runtime/options/table.ts"

type Row = readonly [test: string, options: readonly OptionName[]]

const rows: readonly Row[] = [
  ["test/start.test.ts", ["bind-address", "secure-port", "shutdown-delay-duration", "logging-format"]],
  ["runtime/launch/certificates.test.ts", ["advertise-address", "cert-dir"]],
  ["runtime/http2/connection.test.ts", ["http2-max-streams-per-connection"]],
  ["runtime/filters/goaway.test.ts", ["goaway-chance"]],
  ["test/api/node-http2.test.ts", ["http2-implementation"]],
  ["test/api/access/cors-allowed.yaml", ["cors-allowed-origins"]],
  ["test/api/access/strict-transport.yaml", ["strict-transport-security-directives"]],
  ["test/tls.test.ts", ["tls-cert-file", "tls-private-key-file", "tls-sni-cert-key", "tls-min-version", "tls-cipher-suites"]],
  ["test/authentication/client-certificates.test.ts", ["client-ca-file"]],
  [
    "test/authentication/request-header.test.ts",
    [
      "requestheader-client-ca-file",
      "requestheader-allowed-names",
      "requestheader-username-headers",
      "requestheader-group-headers",
      "requestheader-extra-headers-prefix",
    ],
  ],
  [
    "test/authentication/token-webhook.test.ts",
    [
      "authentication-token-webhook-config-file",
      "authentication-token-webhook-version",
      "authentication-token-webhook-cache-ttl",
      "api-audiences",
    ],
  ],
  ["test/authentication/configuration-file.test.ts", ["authentication-config"]],
  [
    "test/authentication/oidc.test.ts",
    [
      "oidc-issuer-url",
      "oidc-client-id",
      "oidc-ca-file",
      "oidc-username-claim",
      "oidc-username-prefix",
      "oidc-groups-claim",
      "oidc-groups-prefix",
      "oidc-required-claim",
      "oidc-signing-algs",
    ],
  ],
  ["test/authentication/changed-files.test.ts", ["token-auth-file"]],
  ["test/api/access/anonymous.yaml", ["anonymous-auth"]],
  ["test/switched-off.test.ts", ["enable-bootstrap-token-auth", "store-compaction-interval"]],
  [
    "runtime/launch/service-account-keys.test.ts",
    [
      "service-account-key-file",
      "service-account-signing-key-file",
      "service-account-issuer",
      "service-account-lookup",
      "service-account-max-token-expiration",
      "service-account-extend-token-expiration",
    ],
  ],
  ["runtime/launch/authorization.test.ts", ["authorization-mode", "authorization-policy-file"]],
  [
    "test/authorization-configuration.test.ts",
    ["authorization-config", "authorization-webhook-config-file", "authorization-webhook-version"],
  ],
  ["runtime/authz/webhook/webhook.test.ts", ["authorization-webhook-cache-authorized-ttl", "authorization-webhook-cache-unauthorized-ttl"]],
  ["test/admission.test.ts", ["enable-admission-plugins", "disable-admission-plugins"]],
  ["test/audit.test.ts", ["audit-policy-file", "audit-log-path", "audit-log-format", "audit-log-mode"]],
  ["runtime/audit/log-file.test.ts", ["audit-log-maxage", "audit-log-maxbackup", "audit-log-maxsize", "audit-log-compress"]],
  [
    "runtime/audit/batcher.test.ts",
    [
      "audit-log-batch-buffer-size",
      "audit-log-batch-max-size",
      "audit-log-batch-max-wait",
      "audit-log-batch-throttle-enable",
      "audit-log-batch-throttle-qps",
      "audit-log-batch-throttle-burst",
      "audit-webhook-batch-throttle-enable",
    ],
  ],
  [
    "runtime/audit/truncation.test.ts",
    [
      "audit-log-truncate-enabled",
      "audit-log-truncate-max-event-size",
      "audit-log-truncate-max-batch-size",
      "audit-webhook-truncate-enabled",
      "audit-webhook-truncate-max-event-size",
      "audit-webhook-truncate-max-batch-size",
    ],
  ],
  [
    "test/audit-webhook.test.ts",
    [
      "audit-webhook-config-file",
      "audit-webhook-mode",
      "audit-webhook-batch-buffer-size",
      "audit-webhook-batch-max-size",
      "audit-webhook-batch-max-wait",
      "audit-webhook-batch-throttle-qps",
      "audit-webhook-batch-throttle-burst",
      "audit-webhook-initial-backoff",
    ],
  ],
  ["test/local-start.test.ts", ["store"]],
  ["test/etcd-servers.test.ts", ["store-servers", "store-servers-overrides"]],
  ["test/etcd-certificates.test.ts", ["store-cafile", "store-certfile", "store-keyfile"]],
  ["test/clients/stalled-etcd.test.ts", ["store-readycheck-timeout"]],
  ["runtime/controllers/storage-metrics.test.ts", ["store-count-metric-poll-period", "store-db-metric-poll-interval"]],
  ["runtime/storage/etcd/leases.test.ts", ["lease-reuse-duration-seconds"]],
  ["test/first-hour.test.ts", ["data-dir", "vendor"]],
  ["runtime/commands/store-copy-etcd.test.ts", ["store-prefix"]],
  ["test/stored-definitions.test.ts", ["storage-media-type"]],
  ["test/api/versions/without-watch-cache.yaml", ["watch-cache"]],
  ["test/api/versions/one-resource-without-cache.yaml", ["watch-cache-sizes"]],
  ["test/api/kinds/event-ttl.yaml", ["event-ttl"]],
  ["test/api/kinds/service-range.yaml", ["service-cluster-ip-range", "service-node-port-range"]],
  ["runtime/connect/node-agent.test.ts", ["node-agent-preferred-address-types"]],
  ["test/api/subresources/proxy.test.ts", ["node-agent-timeout"]],
  [
    "test/api/subresources/node-agent.test.ts",
    ["node-agent-client-certificate", "node-agent-client-key", "node-agent-certificate-authority"],
  ],
  ["runtime/connect/addresses.test.ts", ["proxy-allowed-cidrs"]],
  ["runtime/filters/deadline.test.ts", ["request-timeout"]],
  ["test/api/watch/ends.yaml", ["min-request-timeout"]],
  ["test/requests-in-flight.test.ts", ["max-requests-inflight", "max-mutating-requests-inflight"]],
  ["test/api/deletion/collection-workers.yaml", ["delete-collection-workers"]],
  ["test/http1.test.ts", ["shutdown-send-retry-after"]],
  ["test/own-kind-handlers.test.ts", ["api"]],
  ["test/definition-install.test.ts", ["crd"]],
  ["runtime/controllers/table.test.ts", ["controllers", "enable-garbage-collector"]],
  ["runtime/controllers/garbage/garbage-collector.test.ts", ["concurrent-gc-syncs"]],
  [
    "runtime/launch/signing-pairs.test.ts",
    [
      "cluster-signing-cert-file",
      "cluster-signing-key-file",
      "cluster-signing-duration",
      "cluster-signing-kubelet-serving-cert-file",
      "cluster-signing-kubelet-serving-key-file",
      "cluster-signing-kubelet-client-cert-file",
      "cluster-signing-kubelet-client-key-file",
      "cluster-signing-kube-apiserver-client-cert-file",
      "cluster-signing-kube-apiserver-client-key-file",
      "cluster-signing-legacy-unknown-cert-file",
      "cluster-signing-legacy-unknown-key-file",
    ],
  ],
  ["runtime/behaviours/checks/privileged-containers.test.ts", ["allow-privileged"]],
  ["runtime/launch/enabled-kinds.test.ts", ["feature-gates", "runtime-config"]],
  ["runtime/options/options.test.ts", ["config"]],
  ["runtime/filters/http-logging.test.ts", ["v"]],
]

/** Options whose effect has no test: only their values are tested, with the values of all others. */
const onlyParsed: readonly OptionName[] = [
  "service-account-jwks-uri",
  "audit-log-version",
  "audit-webhook-version",
  "store-healthcheck-timeout",
  "shutdown-watch-termination-grace-period",
  "livez-grace-period",
  "write-kubeconfig",
]

/** Path of the test of an option; undefined if only its parsing is tested. Throws for an option without a place. */
export function testOf(name: OptionName): string | undefined {
  const row = rows.find(([, options]) => options.includes(name))
  if (row === undefined && !onlyParsed.includes(name))
    throw new Error(`scripts/option-tests.ts: name the test that covers --${name}, or add it to onlyParsed`)
  return row?.[0]
}
