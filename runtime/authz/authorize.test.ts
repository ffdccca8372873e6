import { Socket } from "node:net"
import { expect, test } from "vitest"
import { ApiError } from "../base/errors.ts"
import { Http1Incoming, Http1Outgoing } from "../http/http1-exchange.ts"
import { RequestReader } from "../http/request/reader.ts"
import type { RequestInfo } from "../http/request/context.ts"
import { vendorProfile } from "../base/vendor.ts"
import { type Authorizer, alwaysDeny, authorize } from "./authorize.ts"

const reader = new RequestReader(vendorProfile("kubernetes"))
const user = { name: "alice", uid: "", groups: ["dev"], extra: {} }
const silent: Authorizer = () => "no-opinion"

function infoOf(asked: string): RequestInfo {
  const [method = "", url = ""] = asked.split(" ")
  const incoming = new Http1Incoming(new Socket())
  Object.assign(incoming, { method, url })
  return reader.read(incoming, new Http1Outgoing(incoming)).info
}

function refusal(asked: string, authorizers: readonly Authorizer[]): ApiError {
  try {
    authorize(authorizers, { user, info: infoOf(asked) })
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error("the request was allowed")
}

// Answers of the reference; cert-manager and Flux compare them.
test.each([
  ["GET /api/v1/nodes", `nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope`],
  ["GET /api/v1/nodes/a", `nodes "a" is forbidden: User "alice" cannot get resource "nodes" in API group "" at the cluster scope`],
  [
    "GET /api/v1/namespaces/kube-system/secrets",
    `secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "kube-system"`,
  ],
  [
    "POST /api/v1/namespaces/x/pods/p/eviction",
    `pods "p" is forbidden: User "alice" cannot create resource "pods/eviction" in API group "" in the namespace "x"`,
  ],
  [
    "PATCH /apis/apps/v1/namespaces/x/deployments/d/status",
    `deployments.apps "d" is forbidden: User "alice" cannot patch resource "deployments/status" in API group "apps" in the namespace "x"`,
  ],
  [
    "DELETE /api/v1/namespaces/x",
    `namespaces "x" is forbidden: User "alice" cannot delete resource "namespaces" in API group "" in the namespace "x"`,
  ],
  [
    "DELETE /api/v1/namespaces/x/pods",
    `pods is forbidden: User "alice" cannot deletecollection resource "pods" in API group "" in the namespace "x"`,
  ],
  [
    "GET /api/v1/namespaces/x/pods?watch=1",
    `pods is forbidden: User "alice" cannot watch resource "pods" in API group "" in the namespace "x"`,
  ],
  ["GET /metrics", `forbidden: User "alice" cannot get path "/metrics"`],
])("%s is refused in the reference's words", (asked, text) => {
  expect(refusal(asked, [silent])).toMatchObject({ code: 403, reason: "Forbidden", message: text })
  expect(refusal(asked, [silent, alwaysDeny]).message).toBe(`${text}: Everything is forbidden.`)
})
