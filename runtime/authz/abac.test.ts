import { expect, test } from "vitest"
import { vendorProfile } from "../base/vendor.ts"
import { parseRequestInfo } from "../http/request/info.ts"
import { abacAuthorizer, parseAbacPolicies } from "./abac.ts"

const vendor = vendorProfile("kubernetes")
const line = (spec: object): string => JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec })
const jane = { name: "jane", groups: ["devs", "system:authenticated"], extra: {} }
const anonymous = { name: "system:anonymous", groups: ["system:unauthenticated"], extra: {} }
const all = { apiGroup: "*", namespace: "*", resource: "*" }

async function decides(text: string, asked: string, user = jane): Promise<string> {
  const [method = "", path = ""] = asked.split(" ")
  const decide = abacAuthorizer({ current: parseAbacPolicies(text, vendor) }, vendor)
  const { opinion, reason } = await decide({ user, info: parseRequestInfo({ method, path, watch: false, vendor }) })
  return reason === "" ? opinion : `${opinion}: ${reason}`
}

const pods = "GET /api/v1/namespaces/x/pods"
const none = "no-opinion: No policy matched."

test.each([
  ["nothing", "", pods, none],
  ["comments and blank lines", "# all\n\n", pods, none],
  ["no subject", line(all), pods, none],
  ["the user", line({ user: "jane", ...all }), pods, "allow"],
  ["another user", line({ user: "joe", ...all }), pods, none],
  ["a group", line({ group: "devs", ...all }), pods, "allow"],
  ["user and group, of which one is another", line({ user: "jane", group: "ops", ...all }), pods, none],
  ["everybody", line({ user: "*", ...all }), pods, "allow"],
  ["reads, for a read", line({ user: "jane", readonly: true, ...all }), pods, "allow"],
  ["reads, for a write", line({ user: "jane", readonly: true, ...all }), "POST /api/v1/namespaces/x/pods", none],
  ["the namespace", line({ user: "jane", ...all, namespace: "x" }), pods, "allow"],
  ["another namespace", line({ user: "jane", ...all, namespace: "y" }), pods, none],
  ["no namespace, for one", line({ user: "jane", ...all, namespace: "" }), pods, none],
  ["another resource", line({ user: "jane", ...all, resource: "secrets" }), pods, none],
  ["the resource, for its sub-resource", line({ user: "jane", ...all, resource: "pods" }), "GET /api/v1/namespaces/x/pods/p/log", "allow"],
  ["a group of the API", line({ user: "jane", ...all, apiGroup: "events.k8s.io" }), "GET /apis/events.k8s.io/v1/events", "allow"],
  ["resources, for a path", line({ user: "jane", ...all }), "GET /metrics", none],
  ["the path", line({ user: "jane", nonResourcePath: "/metrics" }), "GET /metrics", "allow"],
  ["paths below", line({ user: "jane", nonResourcePath: "/met*" }), "GET /metrics", "allow"],
  ["other paths", line({ user: "jane", nonResourcePath: "/api*" }), "GET /metrics", none],
  ["the old form", '{"user":"jane"}', pods, "allow"],
  ["the old form, for a path", '{"user":"jane"}', "GET /metrics", "allow"],
  ["the old form of a resource, for a path", '{"user":"jane","resource":"pods"}', "GET /metrics", none],
  ["the old form for a group", '{"group":"devs"}', pods, "allow"],
  ["the old form for another group", '{"group":"ops"}', pods, none],
  ["the old form for a user in another group", '{"user":"jane","group":"ops"}', pods, none],
  ["the old form for another user", '{"user":"joe"}', pods, none],
  ["the old form of another namespace", '{"user":"jane","namespace":"y"}', pods, none],
  ["the old form of everybody", '{"namespace":"x"}', pods, "allow"],
])("a policy of %s", async (_what, text, asked, decision) => {
  expect(await decides(text, asked)).toBe(decision)
})

test("everybody means users with a credential", async () => {
  for (const text of [line({ user: "*", ...all }), line({ group: "*", ...all }), "{}", '{"user":"*"}'])
    expect(await decides(text, pods, anonymous)).toBe(none)
})

test.each([
  ["{", /^line 2: /],
  ["[]", /a policy is a JSON object/],
  ['{"apiVersion":"v2","kind":"Policy"}', /expected apiVersion abac.authorization.kubernetes.io\/v1beta1 and kind Policy/],
  [line({ user: 1 }), /user must be a text/],
  [line({ user: "a", readonly: "yes" }), /readonly must be true or false/],
])("the line %s is refused", (text, message) => {
  expect(() => parseAbacPolicies(`# first\n${text}`, vendor)).toThrow(message)
})

test("rules are listed", () => {
  const text = [
    line({ user: "jane", readonly: true, ...all, namespace: "x" }),
    line({ group: "ops", ...all }),
    line({ user: "jane", nonResourcePath: "/m*" }),
  ]
  const { rulesFor } = abacAuthorizer({ current: parseAbacPolicies(text.join("\n"), vendor) }, vendor)
  expect(rulesFor?.(jane, "x")).toEqual({
    resourceRules: [{ verbs: ["get", "list", "watch"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [],
    incomplete: false,
  })
})
