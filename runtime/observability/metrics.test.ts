import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { KindTable } from "../registry/kinds.ts"
import { vendorProfile } from "../base/vendor.ts"
import { metricsText } from "./metrics.ts"
import { RequestCounts } from "./request-counts.ts"

test("storage and watch cache measurements are reported by resource and store", () => {
  const text = metricsText({
    loop: { take: () => ({ min: 0, max: 0.25, mean: 0.001, p50: 0.001, p90: 0.002, p99: 0.125 }) },
    inFlight: { seats: { readOnly: 0, mutating: 0 } },
    counts: new RequestCounts(new KindTable([]), vendorProfile("orch")),
    watchCache: {
      checks: () => [{ resource: "services/specs", success: 3, failure: 1, error: 0 }],
      derivedBytes: () => 4096,
    },
    storage: { objects: new Map([["deployments.apps", 7]]), bytes: new Map([["etcd-0", 8192]]) },
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
  expect(text.split("\n").filter((line) => /^apiserver_(storage|watch)/.test(line))).toEqual([
    'apiserver_storage_consistency_checks_total{resource="services/specs",status="success"} 3',
    'apiserver_storage_consistency_checks_total{resource="services/specs",status="failure"} 1',
    'apiserver_storage_consistency_checks_total{resource="services/specs",status="error"} 0',
    'apiserver_storage_objects{resource="deployments.apps"} 7',
    'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 8192',
    "apiserver_watch_cache_derived_bytes 4096",
  ])
})
