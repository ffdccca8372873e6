import { expect, test } from "vitest"
import { kinds } from "../../generated/index.ts"
import { meteredResourcesMax } from "../base/limits.ts"
import { KindTable } from "../registry/kinds.ts"
import type { RequestInfo } from "../http/request/request-info.ts"
import type { Kind } from "../schema/kind.ts"
import { vendorProfile } from "../base/vendor.ts"
import { textOf } from "./metrics.ts"
import { RequestCounts } from "./request-counts.ts"
import { StoreLatencies } from "./store-metrics.ts"

const info: RequestInfo = {
  ...{ isResource: false, verb: "get", method: "GET", path: "/version", group: "", version: "", namespace: "" },
  ...{ resource: "", subresource: "", name: "", tail: [], watchPath: false },
}
const request = (more: Partial<RequestInfo>, query = "", headers = {}) => ({
  info: { ...info, ...more },
  query: new URLSearchParams(query),
  headers,
})
const ofPods = { isResource: true, version: "v1", resource: "pods", namespace: "n" } as const

function countsOf(): RequestCounts {
  return new RequestCounts(new KindTable(kinds), vendorProfile("kubernetes"))
}

async function linesOf(counts: RequestCounts, pattern: RegExp): Promise<readonly string[]> {
  return (await textOf(counts.metrics())).split("\n").filter((line) => pattern.test(line))
}

test("non-standard status codes of a backend are counted by their class", () => {
  const counts = new RequestCounts(new KindTable([]), vendorProfile("orch"))
  for (let status = 100; status < 1000; status++) counts.record(request({}), status)
  const codes = new Map(counts.samples().map(([labels, count]) => [/code="([^"]*)"/.exec(labels)?.[1], count]))
  expect(codes.get("200")).toBe(1)
  expect(codes.get("504")).toBe(1)
  expect([codes.has("299"), (codes.get("2xx") ?? 0) > 80, codes.get("other")]).toEqual([false, true, 400])
  expect(codes.size).toBeLessThan(80)
})

test("durations and sizes fall into the reference's buckets, and objectives do not tell dry runs", async () => {
  const counts = countsOf()
  counts.record(request({ ...ofPods, verb: "list" }), 200, { seconds: 0.03, bytes: 20_000 })
  counts.record(request({ ...ofPods, verb: "create" }), 201, { seconds: 0.001 })
  counts.record(request({ ...ofPods, verb: "create" }, "dryRun=All"), 201, { seconds: 70 })
  const list = 'group="",resource="pods",scope="namespace",subresource="",verb="LIST",version="v1"'
  expect(await linesOf(counts, /duration_seconds_bucket.*LIST.*le="0\.0/)).toEqual([
    `apiserver_request_duration_seconds_bucket{component="apiserver",dry_run="",${list},le="0.005"} 0`,
    `apiserver_request_duration_seconds_bucket{component="apiserver",dry_run="",${list},le="0.025"} 0`,
    `apiserver_request_duration_seconds_bucket{component="apiserver",dry_run="",${list},le="0.05"} 1`,
    `apiserver_request_sli_duration_seconds_bucket{component="apiserver",${list},le="0.05"} 1`,
  ])
  expect(await linesOf(counts, /sli_duration_seconds_(count|sum).*POST/)).toEqual([
    'apiserver_request_sli_duration_seconds_sum{component="apiserver",group="",resource="pods",scope="resource",subresource="",verb="POST",version="v1"} 70.001',
    'apiserver_request_sli_duration_seconds_count{component="apiserver",group="",resource="pods",scope="resource",subresource="",verb="POST",version="v1"} 2',
  ])
  expect(await linesOf(counts, /response_sizes_bucket/)).toEqual(
    ["1000", "10000", "100000", "1e+06", "1e+07", "1e+08", "1e+09", "+Inf"].map(
      (end, index) => `apiserver_response_sizes_bucket{component="apiserver",${list},le="${end}"} ${index < 2 ? 0 : 1}`,
    ),
  )
})

test("verbs are those of the reference", async () => {
  const counts = countsOf()
  counts.record(request({ ...ofPods, name: "p", verb: "patch" }, "", { "content-type": "application/apply-patch+yaml" }), 200)
  counts.record(request({ ...ofPods, verb: "deletecollection" }), 200)
  counts.record(request({ ...ofPods, name: "p", verb: "create", subresource: "exec" }), 101)
  const verbs = (await linesOf(counts, /^apiserver_request_total/)).map((line) => /verb="(\w+)"/.exec(line)?.[1])
  expect(verbs.toSorted()).toEqual(["APPLY", "CONNECT", "DELETE"])
})

test("open watches and requests that the server gave up are told", async () => {
  const counts = countsOf()
  const watch = request({ ...ofPods, verb: "watch" })
  const ends = counts.begins(watch)
  counts.begins(watch)()
  counts.record(request({ ...ofPods, verb: "list" }), 429, { isEnded: true })
  counts.record(request({ ...ofPods, verb: "list" }), 429)
  expect((await linesOf(counts, /^apiserver_longrunning_requests/)).map((line) => line.slice(-1))).toEqual(["1"])
  ends()
  expect((await linesOf(counts, /^apiserver_longrunning_requests/)).map((line) => line.slice(-1))).toEqual(["0"])
  expect(await linesOf(counts, /^apiserver_request_terminations_total/)).toEqual([
    'apiserver_request_terminations_total{code="429",component="apiserver",group="",resource="pods",scope="namespace",subresource="",verb="LIST",version="v1"} 1',
  ])
})

test("a definition that changes keeps the series of its resource, and resources beyond the limit share one", () => {
  const [pod] = kinds.filter(({ kind }) => kind === "Pod")
  const of = (resource: string): Kind => ({ ...(pod as Kind), resource })
  const counts = new RequestCounts(
    { find: (_group: string, _version: string, resource: string) => of(resource) } as never,
    vendorProfile("orch"),
  )
  const latencies = new StoreLatencies(vendorProfile("orch"))
  for (let index = 0; index < meteredResourcesMax + 9; index++) {
    for (let time = 0; time < 2; time++) {
      counts.record(request({ ...ofPods, resource: `r${index}`, verb: "list" }), 200)
      latencies.committed(of(`r${index}`), "create", 0)
    }
  }
  const samples = counts.samples()
  expect(samples).toHaveLength(meteredResourcesMax + 1)
  expect(new Set(samples.map(([, count]) => count))).toEqual(new Set([2, 18]))
  const [commits] = latencies.metrics()
  expect([...(commits?.samples ?? [])].filter(([, , suffix]) => suffix === "_count").map(([, count]) => count)).toContain(18)
})
