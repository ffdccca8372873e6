import { expect, test } from "vitest"
import type { Decision } from "../base/decision.ts"
import { staticTokens } from "../authn/authenticate.ts"
import { vendorProfile } from "../base/vendor.ts"
import type { RequestInfo } from "../http/request/request-info.ts"
import { createAccess } from "./access.ts"
import { allowed, alwaysAllow, alwaysDeny, type Authorizer, noOpinion } from "./authorize.ts"

const user = { name: "ann", groups: ["a"], extra: {} }
const resource = { group: "apps", version: "", resource: "deployments", subresource: "scale", namespace: "n", name: "d" }

function access(...authorizers: readonly Authorizer[]): ReturnType<typeof createAccess> {
  const authenticators = [staticTokens([{ token: "known", user }])]
  return createAccess({ authenticators, authorizers, vendor: vendorProfile("kubernetes"), audiences: [] })
}

test("a token is that of its user, who is in the group of all users", async () => {
  expect(await access().authenticate("known", [])).toEqual({ user: { ...user, groups: ["a", "system:authenticated"] } })
})

test("an unknown token, and one for an audience that nothing knows, is nobody's", async () => {
  expect(await access().authenticate("other", [])).toEqual({ error: "invalid bearer token" })
  expect(await access().authenticate("known", ["someone"])).toEqual({ error: "invalid bearer token" })
})

test("authorizers see a question as a request, with neutral groups", async () => {
  const seen: RequestInfo[] = []
  const asked = access(({ info }) => {
    seen.push(info)
    return allowed
  })
  await asked.authorize({ user, verb: "update", resource: { ...resource, group: "events.k8s.io" } })
  await asked.authorize({ user, verb: "get", path: "/metrics" })
  expect(seen).toMatchObject([
    {
      isResource: true,
      verb: "update",
      group: "events.orch.io",
      version: "*",
      resource: "deployments",
      subresource: "scale",
      namespace: "n",
      name: "d",
    },
    { isResource: false, verb: "get", path: "/metrics", resource: "" },
  ])
})

test("reviews tell opinion, reason and error as the authorizers give them", async () => {
  const question = { user, verb: "get", resource }
  const no: Decision = { opinion: "deny", reason: "no." }
  const unsure: Decision = { opinion: "no-opinion", reason: "unsure", error: "out of order" }
  expect(await access(alwaysDeny, alwaysAllow).authorize(question)).toEqual({ allowed: true, denied: false, reason: "" })
  expect(await access(alwaysDeny).authorize(question)).toEqual({ allowed: false, denied: false, reason: "Everything is forbidden." })
  expect(await access(alwaysDeny, () => no, alwaysAllow).authorize(question)).toEqual({ allowed: false, denied: true, reason: "no." })
  expect(await access(async () => unsure).authorize(question)).toEqual({
    allowed: false,
    denied: false,
    reason: "unsure",
    error: "out of order",
  })
})

test("rules are those of all authorizers, and incomplete when one cannot list its own", async () => {
  expect(await access(alwaysDeny, alwaysAllow).rulesFor(user, "n")).toEqual({
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false,
  })
  expect(await access(alwaysDeny, () => noOpinion).rulesFor(user, "n")).toEqual({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
  })
})
