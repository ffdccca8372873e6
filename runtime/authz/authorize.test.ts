import { Socket } from "node:net"
import { describe, expect, it, test } from "vitest"
import { ApiError } from "../base/errors.ts"
import { Http1Incoming, Http1Outgoing } from "../http/http1-exchange.ts"
import { RequestReader } from "../http/request/reader.ts"
import type { RequestInfo } from "../http/request/request-info.ts"
import { vendorProfile } from "../base/vendor.ts"
import type { Decision } from "../base/decision.ts"
import { type Authorizer, alwaysDeny, decide, demand, noOpinion, privileged } from "./authorize.ts"

const reader = new RequestReader(vendorProfile("kubernetes"))
const user = { name: "alice", uid: "", groups: ["dev"], extra: {} }
const silent: Authorizer = () => noOpinion

function infoOf(asked: string): RequestInfo {
  const [method = "", url = ""] = asked.split(" ")
  const incoming = new Http1Incoming(new Socket())
  Object.assign(incoming, { method, url })
  return reader.read(incoming, new Http1Outgoing(incoming)).info
}

function refusal(asked: string, authorizers: readonly Authorizer[]): ApiError {
  try {
    const request = { user, info: infoOf(asked) }
    demand(decide(authorizers, request) as Decision, request) // None of the authorizers waits.
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

const request = { user, info: infoOf("GET /api/v1/nodes") }
const says =
  (decision: Decision): Authorizer =>
  () =>
    decision
const later =
  (decision: Decision): Authorizer =>
  async () =>
    decision
const unsure = { opinion: "no-opinion", reason: "unsure", error: "out of order" } as const
const puzzled = { opinion: "no-opinion", reason: "puzzled", error: "out of sorts" } as const
const yes = { opinion: "allow", reason: "because" } as const
const no = { opinion: "deny", reason: "never" } as const

describe.each([
  ["at once", says],
  ["later", later],
])("authorizers that decide %s", (when, make) => {
  const cases: readonly (readonly [string, readonly Decision[], Decision])[] = [
    ["the first opinion counts, with its reason alone", [unsure, yes, no], yes],
    ["a denial ends it", [unsure, no, yes], no],
    [
      "without an opinion, all reasons and errors are told",
      [unsure, noOpinion, puzzled],
      { opinion: "no-opinion", reason: "unsure\npuzzled", error: "[out of order, out of sorts]" },
    ],
    ["one error stands alone", [unsure], unsure],
    ["the same error is told once", [unsure, unsure], { ...unsure, reason: "unsure\nunsure" }],
  ]
  it.each(cases)("%s", async (_what, decisions, together) => {
    const decision = decide(decisions.map(make), request)
    expect(decision instanceof Promise).toBe(when === "later")
    expect(await decision).toEqual(together)
  })

  it("those behind an opinion are not asked", async () => {
    const asked: string[] = []
    const noting =
      (name: string): Authorizer =>
      (made) => {
        asked.push(name)
        return make(name === "second" ? yes : noOpinion)(made)
      }
    await decide([noting("first"), noting("second"), noting("third")], request)
    expect(asked).toEqual(["first", "second"])
  })

  it("an error without permission is 500, with permission nothing", async () => {
    const authorize = async (decision: Decision): Promise<undefined> => demand(await decide([make(decision)], request), request)
    await expect(authorize(unsure)).rejects.toMatchObject({ code: 500, reason: "InternalError" })
    expect(await authorize({ ...yes, error: "half blind" })).toBe(undefined)
  })
})

it("members of system:masters pass before all modes", async () => {
  const master = { ...user, groups: ["system:masters"] }
  expect(await decide([privileged, alwaysDeny], { ...request, user: master })).toMatchObject({ opinion: "allow" })
  expect(await decide([privileged, alwaysDeny], request)).toMatchObject({ opinion: "no-opinion" })
})
