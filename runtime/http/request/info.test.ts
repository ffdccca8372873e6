import fc from "fast-check"
import { bytesKept } from "../../../test/support/heap.ts"
import { describe, expect, it } from "vitest"
import { parseRequestInfo, RequestInfoReader } from "./info.ts"
import { vendorProfile } from "../../base/vendor.ts"

const vendor = vendorProfile("kubernetes")

function info(method: string, path: string, watch = false) {
  const { verb, group, version, namespace, resource, name, subresource, tail, isResource, watchPath } = parseRequestInfo({
    method,
    path,
    watch,
    vendor,
  })
  return { isResource, verb, group, version, namespace, resource, name, subresource, tail: tail.join("/"), watchPath }
}

const none = {
  isResource: true,
  verb: "get",
  group: "",
  version: "v1",
  namespace: "",
  resource: "",
  name: "",
  subresource: "",
  tail: "",
  watchPath: false,
}

describe("parseRequestInfo", () => {
  it.each([
    ["GET", "/api/v1/namespaces", { verb: "list", resource: "namespaces" }],
    ["GET", "/api/v1/namespaces/a", { resource: "namespaces", name: "a" }],
    ["PUT", "/api/v1/namespaces/a/finalize", { verb: "update", resource: "namespaces", name: "a", subresource: "finalize" }],
    ["GET", "/api/v1/namespaces/a/status", { resource: "namespaces", name: "a", subresource: "status" }],
    ["GET", "/api/v1/namespaces/a/pods", { verb: "list", namespace: "a", resource: "pods" }],
    ["POST", "/api/v1/namespaces/a/pods", { verb: "create", namespace: "a", resource: "pods" }],
    ["DELETE", "/api/v1/namespaces/a/pods", { verb: "deletecollection", namespace: "a", resource: "pods" }],
    ["DELETE", "/api/v1/namespaces/a/pods/p", { verb: "delete", namespace: "a", resource: "pods", name: "p" }],
    ["PATCH", "/api/v1/namespaces/a/pods/p/status", { verb: "patch", namespace: "a", resource: "pods", name: "p", subresource: "status" }],
    ["GET", "/api/v1/nodes/n/proxy/a/b", { resource: "nodes", name: "n", subresource: "proxy", tail: "a/b" }],
    ["GET", "/api/v1/pods/", { verb: "list", resource: "pods" }],
    ["HEAD", "/api/v1/pods", { verb: "list", resource: "pods" }],
    ["OPTIONS", "/api/v1/pods", { verb: "", resource: "pods" }],
    ["list", "/api/v1/pods", { verb: "", resource: "pods" }],
    ["get", "/api/v1/pods", { verb: "", resource: "pods" }],
    ["deletecollection", "/api/v1/namespaces/a/pods", { verb: "", namespace: "a", resource: "pods" }],
    ["Delete", "/api/v1/namespaces/a/pods/p/status", { verb: "", namespace: "a", resource: "pods", name: "p", subresource: "status" }],
    ["DELETE", "/api/v1/watch/pods", { verb: "watch", resource: "pods", watchPath: true }],
  ])("%s %s", (method, path, expected) => {
    expect(info(method, path)).toEqual({ ...none, ...expected })
  })

  it("maps vendor groups to neutral ones", () => {
    expect(info("GET", "/apis/events.k8s.io/v1/namespaces/a/events/e")).toEqual({
      ...none,
      group: "events.orch.io",
      namespace: "a",
      resource: "events",
      name: "e",
    })
  })

  it("turns a list with the watch parameter into a watch, but not a get", () => {
    expect(info("GET", "/api/v1/pods", true).verb).toBe("watch")
    expect(info("GET", "/api/v1/namespaces/a/pods/p", true).verb).toBe("get")
    expect(info("DELETE", "/api/v1/namespaces/a/pods", true).verb).toBe("deletecollection")
  })

  it("parses the deprecated watch paths of collections and single objects", () => {
    expect(info("GET", "/api/v1/watch/namespaces/a/pods")).toEqual({
      ...none,
      verb: "watch",
      namespace: "a",
      resource: "pods",
      watchPath: true,
    })
    expect(info("GET", "/api/v1/watch/namespaces/a/pods/p")).toEqual({
      ...none,
      verb: "watch",
      namespace: "a",
      resource: "pods",
      name: "p",
      watchPath: true,
    })
  })

  it.each(["/", "/healthz", "/api", "/apis", "/apis/apps", "/openapi/v2", "/api/v1", "/apis/apps/v1"])("%s is not a resource", (path) => {
    expect(info("GET", path).isResource).toBe(false)
  })
})

describe("RequestInfoReader", () => {
  const word = fc.constantFrom("", "api", "apis", "v1", "apps", "namespaces", "watch", "status", "finalize", "pods", "a", "b")
  const request = fc.record({
    method: fc.constantFrom("GET", "POST", "DELETE", "OPTIONS"),
    path: fc
      .tuple(fc.constantFrom("/api/v1/", "/apis/apps/v1/", "/"), fc.array(word, { maxLength: 6 }))
      .map(([start, words]) => start + words.join("/")),
    watch: fc.boolean(),
  })

  it("gives the same result for a path it has parsed before", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 40 }), (requests) => {
        const reader = new RequestInfoReader(vendor)
        for (const one of requests) expect(reader.read(one)).toEqual(parseRequestInfo({ ...one, vendor }))
      }),
    )
  })

  it("retains nothing of a target but its path", () => {
    const reader = new RequestInfoReader(vendor)
    const { bytes } = bytesKept(() => {
      for (let index = 0; index < 50; index++) {
        const target = `/api/v1/namespaces/namespace-${index}/configmaps/some-name?${"x".repeat(1_000_000)}`
        reader.read({ method: "GET", path: target.slice(0, target.indexOf("?")), watch: false })
        reader.read({ method: "GET", path: target.slice(0, target.lastIndexOf("/")), watch: false })
      }
    })
    expect(bytes).toBeLessThan(5_000_000)
  })
})
