import { expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import type { JsonObject } from "../../base/json.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { parseRequestInfo } from "../../http/request/info.ts"
import type { WebhookMeter } from "../meters.ts"
import { compileCondition } from "../../policies/access-expressions.ts"
import { webhookAttempts, webhookAuthorizer, webhookKeptCharactersMax, type WebhookOptions } from "./webhook.ts"

const vendor = vendorProfile("kubernetes")
const jane = { name: "jane", uid: "u1", groups: ["devs"], extra: { scopes: ["a"] } }
const asks = (path: string, method = "GET") => ({ user: jane, info: parseRequestInfo({ method, path, watch: false, vendor }) })
const get = asks("/apis/apps/v1/namespaces/x/deployments/d/status")

/** A hook with a script of answers: a status, or an error. */
function hook(answers: readonly (JsonObject | Error)[], more: Partial<WebhookOptions> = {}) {
  const clock = createManualClock()
  const sent: JsonObject[] = []
  const version = more.version ?? "v1"
  const call = {
    async post(review: string) {
      const answer = answers[sent.length] ?? new Error("unexpected call")
      sent.push(JSON.parse(review))
      if (answer instanceof Error) throw answer
      return { kind: "SubjectAccessReview", apiVersion: `authorization.k8s.io/${version}`, status: answer }
    },
    isTransient: (error: unknown) => error instanceof Error && error.message === "busy",
    isTimeout: (error: unknown) => error instanceof Error && error.message === "slow",
  }
  const measured: string[] = []
  const meter: WebhookMeter = {
    called: (result) => measured.push(result),
    failedOpen: (result) => measured.push(`open: ${result}`),
    matched: (_seconds, { excluded, failed }) => measured.push(excluded ? "excluded" : failed ? "failed" : "matched"),
  }
  const times = { authorizedMs: 1000, unauthorizedMs: 100 }
  const options = { call, version, ...times, failurePolicy: "NoOpinion", matchConditions: [], vendor, clock, meter, ...more } as const
  return { decide: webhookAuthorizer(options), sent, clock, measured }
}

test.each([
  [
    { allowed: true, reason: "yes" },
    { opinion: "allow", reason: "yes" },
  ],
  [
    { allowed: false, reason: "perhaps" },
    { opinion: "no-opinion", reason: "perhaps" },
  ],
  [
    { allowed: false, denied: true, reason: "no" },
    { opinion: "deny", reason: "no" },
  ],
  [
    { allowed: false, evaluationError: "half blind" },
    { opinion: "no-opinion", reason: "" },
  ],
  [{}, { opinion: "no-opinion", reason: "" }],
  [
    { allowed: true, denied: true },
    { opinion: "deny", reason: "", error: "webhook subject access review returned both allow and deny response" },
  ],
])("the answer %j decides", async (status: JsonObject, decision) => {
  expect(await hook([status]).decide(get)).toEqual(decision)
})

test("the review has the names of its version, and only what has a value", async () => {
  const resourceAttributes = {
    namespace: "x",
    verb: "get",
    group: "apps",
    version: "v1",
    resource: "deployments",
    subresource: "status",
    name: "d",
  }
  const who = { user: "jane", extra: { scopes: ["a"] }, uid: "u1" }
  const first = hook([{}])
  await first.decide(get)
  expect(first.sent).toMatchObject([{ apiVersion: "authorization.k8s.io/v1", spec: { resourceAttributes, groups: ["devs"], ...who } }])
  const beta = hook([{}, {}], { version: "v1beta1" })
  await beta.decide(get)
  expect(beta.sent[0]).toMatchObject({ apiVersion: "authorization.k8s.io/v1beta1", spec: { group: ["devs"] } })
  await beta.decide({ ...asks("/metrics"), user: { name: "joe", groups: [], extra: {} } })
  expect(beta.sent[1]?.["spec"]).toEqual({ nonResourceAttributes: { path: "/metrics", verb: "get" }, user: "joe" })
})

test("answers are kept for the times of the options, per question, and errors not at all", async () => {
  const { decide, sent, clock } = hook([{ allowed: true }, { allowed: false }, new Error("gone"), { allowed: true }, { allowed: true }])
  await decide(get)
  expect(decide(get)).toEqual({ opinion: "allow", reason: "" })
  await decide(asks("/metrics"))
  clock.advance(100)
  expect(await decide(asks("/metrics"))).toEqual({ opinion: "no-opinion", reason: "", error: "gone" })
  expect(await decide(asks("/metrics"))).toMatchObject({ opinion: "allow" })
  clock.advance(899)
  expect(decide(get)).not.toBeInstanceOf(Promise)
  clock.advance(1)
  await decide(get)
  expect(sent.length).toBe(5)
})

test("what a client could fill the cache with is not kept", async () => {
  const { decide, sent } = hook([{ allowed: true }, { allowed: true }])
  const long = asks(`/${"x".repeat(webhookKeptCharactersMax)}`)
  await decide(long)
  await decide(long)
  expect(sent.length).toBe(2)
})

test("a fault that may pass is tried again, with growing waits, and then reported", async () => {
  const busy = Array.from({ length: webhookAttempts }, () => new Error("busy"))
  const { decide, sent, clock } = hook(busy)
  const decided = Promise.resolve(decide(get))
  for (const [index, waitMs] of [500, 750, 1125, 1687.5].entries()) {
    await expect.poll(() => sent.length).toBe(index + 1)
    // The wait begins in the turn after the fault.
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(waitMs)
  }
  expect(await decided).toEqual({ opinion: "no-opinion", reason: "", error: "busy" })
  const once = hook([new Error("refused"), { allowed: true }])
  expect(await once.decide(get)).toMatchObject({ error: "refused" })
})

test("an answer of another sort is an error, and rules cannot be listed", async () => {
  const { decide } = hook([], { call: { post: async () => ({ kind: "Status" }), isTransient: () => false, isTimeout: () => false } })
  expect(await decide(get)).toMatchObject({ opinion: "no-opinion", error: expect.stringContaining("SubjectAccessReview") })
  expect(decide.rulesFor?.(jane, "x")).toMatchObject({ incomplete: true, error: expect.stringContaining("does not support") })
})

const conditions = (...sources: readonly string[]) =>
  sources.map((source) => {
    const compiled = compileCondition("request", source)
    if ("fault" in compiled) throw new Error(compiled.fault)
    return compiled
  })
const mine = "request.user == 'jane' && 'devs' in request.groups && request.extra.scopes == ['a'] && request.uid == 'u1'"
const attributes = { namespace: "x", verb: "get", group: "apps", version: "v1", resource: "deployments", subresource: "status", name: "d" }
const deployments = Object.entries(attributes)
  .map(([name, value]) => `request.resourceAttributes.${name} == '${value}'`)
  .join(" && ")
const isPath = "request.nonResourceAttributes.path.startsWith('/metrics') && request.nonResourceAttributes.verb == 'get'"
const failing = "request.nonResourceAttributes.path == ''"

test.each<[readonly string[], string, string]>([
  [[mine, deployments], "allow", "matched"],
  [["!has(request.nonResourceAttributes)"], "allow", "matched"],
  [[mine, "request.user == 'joe'"], "no-opinion", "excluded"],
  [[failing, "request.user == 'joe'"], "no-opinion", "excluded"],
  [[failing, mine], "no-opinion: cel evaluation error: ", "failed"],
])("with the conditions %j the hook says %s", async (sources, said, counted) => {
  const { decide, sent, measured } = hook([{ allowed: true }], { matchConditions: conditions(...sources) })
  const { opinion, error } = await decide(get)
  const text = error === undefined ? opinion : `${opinion}: ${error}`
  expect([text.slice(0, said.length), sent.length]).toEqual([said, counted === "matched" ? 1 : 0])
  expect(measured).toEqual(counted === "matched" ? ["matched", "success"] : [counted])
})

test("conditions see paths, and an empty user as empty texts", async () => {
  const empty = "request.uid == '' && request.groups == [] && request.extra == {}"
  const { decide, sent } = hook([{ allowed: true }], { matchConditions: conditions(isPath, empty) })
  expect(await decide({ ...asks("/metrics/x"), user: { name: "joe", groups: [], extra: {} } })).toMatchObject({ opinion: "allow" })
  expect(sent.length).toBe(1)
})

test("all errors of conditions are reported, and the failure policy decides", async () => {
  const matchConditions = conditions(failing, "request.extra.none == []")
  const error =
    `[cel evaluation error: expression '${failing}' resulted in error: no such key: nonResourceAttributes, ` +
    "cel evaluation error: expression 'request.extra.none == []' resulted in error: no such key: none]"
  expect(await hook([], { matchConditions, failurePolicy: "Deny" }).decide(get)).toEqual({ opinion: "deny", reason: "", error })
  expect(await hook([], { matchConditions }).decide(get)).toEqual({ opinion: "no-opinion", reason: "", error })
})

test("a condition that costs too much is an error, and others are served between those that cost much", async () => {
  const wide = { ...jane, groups: Array.from({ length: 300 }, (_, index) => `g${index}`) }
  const loops = (depth: number): string =>
    `${Array.from({ length: depth }, (_, index) => `request.groups.all(g${index}, `).join("")}true${")".repeat(depth)}`
  const asked = { ...get, user: wide }
  const costly = hook([], { matchConditions: conditions(loops(3)) })
  expect(await costly.decide(asked)).toMatchObject({ error: expect.stringContaining("actual cost limit exceeded") })
  const several = conditions(loops(2), `${loops(2)} && true`, `${loops(2)} || false`)
  const decided = hook([{ allowed: true }], { matchConditions: several }).decide(asked)
  let others = 0
  setImmediate(() => others++)
  expect([await decided, others]).toEqual([{ opinion: "allow", reason: "" }, 1])
})

test.each([
  ["NoOpinion", "gone", "no-opinion", ["error", "open: error"]],
  ["NoOpinion", "slow", "no-opinion", ["timeout", "open: timeout"]],
  ["Deny", "gone", "deny", ["error"]],
] as const)("with the policy %s a hook that is %s says %s", async (failurePolicy, fault, opinion, counted) => {
  const { decide, measured } = hook([new Error(fault)], { failurePolicy })
  expect(await decide(get)).toEqual({ opinion, reason: "", error: fault })
  expect(measured).toEqual(counted)
})

test("a request whose client has left fails nothing open", async () => {
  const leaving = new AbortController()
  const { decide, measured } = hook([new Error("gone")])
  leaving.abort()
  await decide({ ...get, signal: leaving.signal })
  expect(measured).toEqual(["canceled"])
})
