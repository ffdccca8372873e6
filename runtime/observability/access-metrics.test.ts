import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { AccessMetrics } from "./access-metrics.ts"

/** Labels and the number of buckets, as kube-apiserver 1.30 has them (catalog operations.yaml: metrics). */
const wanted: Readonly<Record<string, readonly [type: string, labels: string, buckets?: string]>> = {
  apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds: ["gauge", "status apiserver_id_hash"],
  apiserver_authentication_config_controller_automatic_reloads_total: ["counter", "status apiserver_id_hash"],
  apiserver_authentication_jwt_authenticator_latency_seconds: [
    "histogram",
    "result jwt_issuer_hash",
    "0.001 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10",
  ],
  authenticated_user_requests: ["counter", "username"],
  authentication_attempts: ["counter", "result"],
  authentication_duration_seconds: [
    "histogram",
    "result",
    "0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 4.096 8.192 16.384",
  ],
  authentication_token_cache_active_fetch_count: ["gauge", "status"],
  authentication_token_cache_fetch_total: ["counter", "status"],
  authentication_token_cache_request_duration_seconds: ["histogram", "status", "0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10"],
  authentication_token_cache_request_total: ["counter", "status"],
  serviceaccount_invalid_legacy_auto_token_uses_total: ["counter", ""],
  serviceaccount_legacy_auto_token_uses_total: ["counter", ""],
  serviceaccount_legacy_manual_token_uses_total: ["counter", ""],
  serviceaccount_legacy_tokens_total: ["counter", ""],
  serviceaccount_stale_tokens_total: ["counter", ""],
  serviceaccount_valid_tokens_total: ["counter", ""],
  apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds: ["gauge", "status apiserver_id_hash"],
  apiserver_authorization_config_controller_automatic_reloads_total: ["counter", "status apiserver_id_hash"],
  apiserver_authorization_decisions_total: ["counter", "type name decision"],
  apiserver_authorization_match_condition_evaluation_errors_total: ["counter", "type name"],
  apiserver_authorization_match_condition_evaluation_seconds: ["histogram", "type name", "0.001 0.005 0.01 0.025 0.1 0.2 0.25"],
  apiserver_authorization_match_condition_exclusions_total: ["counter", "type name"],
  apiserver_authorization_webhook_duration_seconds: ["histogram", "name result", "0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10"],
  apiserver_authorization_webhook_evaluations_fail_open_total: ["counter", "name result"],
  apiserver_authorization_webhook_evaluations_total: ["counter", "name result"],
  authorization_attempts_total: ["counter", "result"],
  authorization_duration_seconds: [
    "histogram",
    "result",
    "0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 4.096 8.192 16.384",
  ],
}

const namesIn = (labels: string): string => [...labels.matchAll(/(\w+)="/g)].map(([, name]) => name).join(" ")

test("metrics have the reference's names, types, labels and buckets", () => {
  const metrics = new AccessMetrics(createManualClock(), "a server")
  for (const configuration of ["authentication", "authorization"] as const) metrics.reloadsOf(configuration).reloaded("success")
  metrics.jwt("https://example.com", "success", 0)
  metrics.decisions("Webhook", "a")({ opinion: "allow", reason: "" })
  const hook = metrics.webhook("a")
  hook.called("success", 0)
  hook.failedOpen("error")
  hook.matched(0, { excluded: true, failed: true })
  const found = metrics.metrics().map(({ name, type, samples: all }) => {
    const samples = [...all]
    const [labels = ""] = samples[0] ?? []
    const own = samples.filter(([text]) => text.replace(/,?le="[^"]*"/, "") === labels.replace(/,?le="[^"]*"/, ""))
    const buckets = own.flatMap(([text]) => /le="([0-9.]+)"/.exec(text)?.[1] ?? []).join(" ")
    return [name, [type, namesIn(labels).replace(/ le$/, ""), ...(buckets === "" ? [] : [buckets])]]
  })
  expect(Object.fromEntries(found)).toEqual(wanted)
})

test("names of users are of few sorts, and moments are those of the clock", () => {
  const clock = createManualClock()
  const metrics = new AccessMetrics(clock, "a server")
  for (const name of ["admin", "kubelet", "jane@example.com", "joe", "system:serviceaccount:a:b"]) metrics.authentication.user(name)
  metrics.reloadsOf("authorization").reloaded("failure")
  const valuesOf = (wantedName: string): unknown => metrics.metrics().find(({ name }) => name === wantedName)?.samples
  expect(valuesOf("authenticated_user_requests")).toEqual([
    ['username="other"', 2],
    ['username="email_id"', 1],
    ['username="admin"', 1],
    ['username="kubelet"', 1],
  ])
  expect(valuesOf("apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds")).toEqual([
    [expect.stringMatching(/^status="failure",apiserver_id_hash="sha256:[0-9a-f]{64}"$/), clock.nowMs() / 1000],
  ])
})

test("look-ups that run and requests that wait are counted while they do", () => {
  const metrics = new AccessMetrics(createManualClock())
  const counts = (): unknown => {
    const found = metrics.metrics().find(({ name }) => name === "authentication_token_cache_active_fetch_count")
    return [...(found?.samples ?? [])].map(([, count]) => count)
  }
  const fetched = metrics.tokenCache.fetching()
  const waited = metrics.tokenCache.blocked()
  expect(counts()).toEqual([1, 1])
  fetched("ok")
  waited()
  expect(counts()).toEqual([0, 0])
})
