import { expect, test } from "vitest"
import { KindTable } from "../registry/kinds.ts"
import type { RequestInfo } from "../http/request/context.ts"
import { vendorProfile } from "../base/vendor.ts"
import { RequestCounts } from "./request-counts.ts"

const info: RequestInfo = {
  ...{ isResource: false, verb: "get", method: "GET", path: "/version", group: "", version: "", namespace: "" },
  ...{ resource: "", subresource: "", name: "", tail: [], watchPath: false },
}

test("non-standard status codes of a backend are counted by their class", () => {
  const counts = new RequestCounts(new KindTable([]), vendorProfile("orch"))
  for (let status = 100; status < 1000; status++) counts.record({ info, query: new URLSearchParams() }, status)
  const codes = new Map(counts.samples().map(([labels, count]) => [/code="([^"]*)"/.exec(labels)?.[1], count]))
  expect(codes.get("200")).toBe(1)
  expect(codes.get("504")).toBe(1)
  expect([codes.has("299"), (codes.get("2xx") ?? 0) > 80, codes.get("other")]).toEqual([false, true, 400])
  expect(codes.size).toBeLessThan(80)
})
