import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { KindTable } from "../registry/kinds.ts"
import { vendorProfile } from "../base/vendor.ts"
import { AccessMetrics } from "./access-metrics.ts"
import { ConversionMetrics } from "./conversion-metrics.ts"
import { Histogram } from "./histogram.ts"
import { metricsText } from "./metrics.ts"
import { RequestCounts } from "./request-counts.ts"
import { StoreLatencies } from "./store-metrics.ts"
import { WorkQueueMetrics } from "./work-queue-metrics.ts"

test("storage and watch cache measurements are reported by resource and store", async () => {
  const conversions = new ConversionMetrics(createManualClock())
  const text = await metricsText({
    access: new AccessMetrics(createManualClock()),
    loop: { take: () => ({ min: 0, max: 0.25, mean: 0.001, p50: 0.001, p90: 0.002, p99: 0.125 }) },
    inFlight: { seats: { readOnly: 0, mutating: 0 } },
    counts: new RequestCounts(new KindTable([]), vendorProfile("orch")),
    storeLatencies: new StoreLatencies(vendorProfile("orch")),
    build: { word: "orch", version: { gitVersion: "v1", major: "1" } },
    conversions,
    watchCache: {
      checks: () => [{ resource: "services/specs", success: 3, failure: 1, error: 0 }],
      derivedBytes: () => 4096,
    },
    storage: { objects: new Map([["deployments.apps", 7]]), bytes: new Map([["etcd-0", 8192]]) },
    workQueues: new WorkQueueMetrics(createManualClock()),
    clock: createManualClock(),
  })
  expect(text.split("\n").filter((line) => line.startsWith("nodejs_eventloop"))).toEqual([
    "nodejs_eventloop_lag_max_seconds 0.25",
    "nodejs_eventloop_lag_mean_seconds 0.001",
    "nodejs_eventloop_lag_min_seconds 0",
    "nodejs_eventloop_lag_p50_seconds 0.001",
    "nodejs_eventloop_lag_p90_seconds 0.002",
    "nodejs_eventloop_lag_p99_seconds 0.125",
  ])
  expect(text).toContain('orch_build_info{git_version="v1",major="1"} 1\n')
  expect(text).toMatch(/^apiserver_audit_event_total 0$/m)
  expect(text.split("\n").filter((line) => /^apiserver_(storage|watch)/.test(line))).toEqual([
    'apiserver_storage_consistency_checks_total{resource="services/specs",status="success"} 3',
    'apiserver_storage_consistency_checks_total{resource="services/specs",status="failure"} 1',
    'apiserver_storage_consistency_checks_total{resource="services/specs",status="error"} 0',
    'apiserver_storage_objects{resource="deployments.apps"} 7',
    'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 8192',
    "apiserver_watch_cache_derived_bytes 4096",
  ])
})

test("conversions are counted by definition, versions and sort of failure", () => {
  const clock = createManualClock()
  const conversions = new ConversionMetrics(clock)
  const started = conversions.of("pans.example.com")
  const call = { from: "v1", to: "v2" }
  const first = started(call)
  clock.advance(3)
  first()
  started(call)()
  const failing = started(call)
  clock.advance(70_000)
  failing("call")
  const of = (labels: string): Record<string, number> =>
    Object.fromEntries(
      [...conversions.durations.samples(), ...conversions.results.samples()]
        .filter(([own]) => own.startsWith(labels))
        .map(([own, value, suffix]) => [own.slice(labels.length) + suffix, value]),
    )
  const good = of('crd_name="pans.example.com",from_version="v1",to_version="v2",succeeded="true"')
  expect(good).toMatchObject({ ',le="0.002"_bucket': 1, ',le="0.004"_bucket': 2, ',le="16.384"_bucket': 2, ',le="+Inf"_bucket': 2 })
  expect(good).toMatchObject({ _sum: 0.003, _count: 2 })
  const bad = of('result="failure",failure_type="conversion_webhook_call_failure"')
  expect(bad).toMatchObject({ ',le="60"_bucket': 0, ',le="+Inf"_bucket': 1, _count: 1, _sum: 70 })
})

test("a histogram forgets the oldest labels", () => {
  const histogram = new Histogram({ buckets: [1], seriesMax: 2 })
  for (const name of ["a", "b", "a", "c"]) histogram.observe(`name="${name}"`, 0)
  expect(histogram.samples().flatMap(([labels, , suffix]) => (suffix === "_count" ? [labels] : []))).toEqual(['name="b"', 'name="c"'])
})
