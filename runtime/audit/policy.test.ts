import { describe, expect, it } from "vitest"
import { vendorProfile } from "../base/vendor.ts"
import { parseRequestInfo } from "../http/request/info.ts"
import { compilePolicy, type PolicyEvaluator } from "./policy.ts"
import { PolicyError, readPolicy } from "./read-policy.ts"

const vendor = vendorProfile("kubernetes")
const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n"

function evaluatorOf(...rules: string[]): PolicyEvaluator {
  const { policy, warnings } = readPolicy(`${head}rules:\n${rules.map((rule) => `- ${rule}\n`).join("")}`, vendor)
  expect(warnings).toEqual([])
  return compilePolicy(policy)
}

interface Asked {
  readonly method?: string
  readonly watch?: boolean
  readonly user?: string
  readonly groups?: readonly string[]
}

/** The level that the rules give to a request. */
function level(evaluate: PolicyEvaluator, path: string, { method = "GET", watch = false, user = "jane", groups = [] }: Asked = {}): string {
  const info = parseRequestInfo({ method, path, watch, vendor })
  return evaluate(user === "" ? { info } : { info, user: { name: user, groups, extra: {} } }).level
}

const pods = "/api/v1/namespaces/shop/pods"

describe("a rule", () => {
  it.each([
    ["matches everything without conditions", "{level: Metadata}", pods, {}, true],
    ["matches users exactly", "{level: Metadata, users: [jan*, jane]}", pods, {}, true],
    ["knows no patterns of users", "{level: Metadata, users: [jan*]}", pods, {}, false],
    ["about users matches nobody unknown", "{level: Metadata, users: [jane]}", pods, { user: "" }, false],
    ["matches any common group", "{level: Metadata, userGroups: [a, b]}", pods, { groups: ["b", "c"] }, true],
    ["needs a common group", "{level: Metadata, userGroups: [a]}", pods, { groups: ["b"] }, false],
    ["matches API verbs", "{level: Metadata, verbs: [list]}", pods, {}, true],
    ["tells a watch from a list", "{level: Metadata, verbs: [list]}", pods, { watch: true }, false],
    ["matches methods of other paths in lower case", "{level: Metadata, verbs: [post]}", "/metrics", { method: "POST" }, true],
    ["matches a namespace", "{level: Metadata, namespaces: [shop]}", pods, {}, true],
    ["matches what is in no namespace by an empty one", '{level: Metadata, namespaces: [""]}', "/api/v1/nodes", {}, true],
    ["takes a Namespace to be in itself", '{level: Metadata, namespaces: [""]}', "/api/v1/namespaces/shop", {}, false],
    ["about namespaces matches no other path", '{level: Metadata, namespaces: [""]}', "/metrics", {}, false],
    ["without resources matches all of a group", '{level: Metadata, resources: [{group: ""}]}', `${pods}/p/log`, {}, true],
    ["matches groups exactly", "{level: Metadata, resources: [{group: apps}]}", pods, {}, false],
    ["matches a resource", '{level: Metadata, resources: [{group: "", resources: [pods]}]}', `${pods}/p`, {}, true],
    ["takes a sub-resource for another", '{level: Metadata, resources: [{group: "", resources: [pods]}]}', `${pods}/p/log`, {}, false],
    ["matches a sub-resource", '{level: Metadata, resources: [{group: "", resources: [pods/log]}]}', `${pods}/p/log`, {}, true],
    ["matches all sub-resources of one", '{level: Metadata, resources: [{group: "", resources: [pods/*]}]}', `${pods}/p/log`, {}, true],
    ["matches the resource by that too", '{level: Metadata, resources: [{group: "", resources: [pods/*]}]}', pods, {}, true],
    ["compares it whole", '{level: Metadata, resources: [{group: "", resources: [po/*]}]}', pods, {}, false],
    ["matches one of all resources", '{level: Metadata, resources: [{group: "", resources: ["*/log"]}]}', `${pods}/p/log`, {}, true],
    ["compares its name whole", '{level: Metadata, resources: [{group: "", resources: ["*/lo"]}]}', `${pods}/p/log`, {}, false],
    ["matches all with a star", '{level: Metadata, resources: [{group: "", resources: ["*"]}]}', `${pods}/p/log`, {}, true],
    ["matches names", '{level: Metadata, resources: [{group: "", resources: [pods], resourceNames: [p]}]}', `${pods}/p`, {}, true],
    ["needs the name", '{level: Metadata, resources: [{group: "", resources: [pods], resourceNames: [p]}]}', pods, {}, false],
    ["matches paths exactly", "{level: Metadata, nonResourceURLs: [/version]}", "/version/", {}, false],
    ["matches the beginning of paths", "{level: Metadata, nonResourceURLs: [/healthz*]}", "/healthz/etcd", {}, true],
    ["matches all paths with a star", '{level: Metadata, nonResourceURLs: ["*"]}', "/metrics", {}, true],
    ["about paths matches no resource", '{level: Metadata, nonResourceURLs: ["*"]}', pods, {}, false],
    ["maps the vendor's group", "{level: Metadata, resources: [{group: events.k8s.io}]}", "/apis/events.k8s.io/v1/events", {}, true],
  ])("%s", (_what, rule, path, asked: Asked, matches) => {
    expect(level(evaluatorOf(rule), path, asked)).toBe(matches ? "Metadata" : "None")
  })
})

it("the first rule that matches decides, and no rule means no event", () => {
  const evaluate = evaluatorOf(
    "{level: None, users: [robot]}",
    "{level: Request, verbs: [create]}",
    "{level: Metadata, verbs: [create, get]}",
  )
  expect(level(evaluate, pods, { method: "POST", user: "robot" })).toBe("None")
  expect(level(evaluate, pods, { method: "POST" })).toBe("Request")
  expect(level(evaluate, `${pods}/p`)).toBe("Metadata")
  expect(level(evaluate, pods)).toBe("None")
})

it("a rule omits its stages and the policy's, and its word about managed fields comes first", () => {
  const { policy } = readPolicy(
    `${head}omitStages: [RequestReceived]
omitManagedFields: true
rules:
- {level: Metadata, verbs: [get], omitStages: [Panic], omitManagedFields: false}
- {level: Metadata}`,
    vendor,
  )
  const evaluate = compilePolicy(policy)
  const of = (method: string) => evaluate({ info: parseRequestInfo({ method, path: `${pods}/p`, watch: false, vendor }) })
  expect([[...of("GET").omitStages], of("GET").omitManagedFields]).toEqual([["RequestReceived", "Panic"], false])
  expect([[...of("PUT").omitStages], of("PUT").omitManagedFields]).toEqual([["RequestReceived"], true])
})

it("unknown and repeated fields are reported and have no effect", () => {
  const { policy, warnings } = readPolicy(`${head}rules:\n- level: Metadata\n  level: Request\n  user: [a]\n`, vendor)
  expect(policy.rules[0]).toMatchObject({ level: "Request", users: [] })
  expect(warnings).toEqual([
    'line 5: key "level" already set in map',
    'rules[0] has the unknown field "user", which has no effect; did you mean users?',
  ])
})

it.each([
  ["no document", "", /the file is null; expected an object/],
  ["no YAML", "{", /yaml: /],
  [
    "another version",
    "apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules: [{level: None}]",
    /"audit.k8s.io\/v1beta1" and kind "Policy"; expected audit.k8s.io\/v1 and Policy/,
  ],
  ["another vendor", "apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{level: None}]", /--vendor chooses the group/],
  ["no rules", `${head}rules: []`, /rules is empty; write at least one/],
  ["a rule that is a text", `${head}rules: [None]`, /rules\[0\] is "None"; expected an object with level, users/],
  ["no level", `${head}rules: [{users: [a]}]`, /rules\[0\].level is absent; expected one of None, Metadata/],
  ["an unknown level", `${head}rules: [{level: metadata}]`, /rules\[0\].level is "metadata"; .* did you mean Metadata\?/],
  [
    "an unknown stage",
    `${head}rules: [{level: None, omitStages: [Later]}]`,
    /rules\[0\].omitStages\[0\] is "Later"; expected one of RequestReceived/,
  ],
  [
    "an unknown stage of the policy",
    `${head}omitStages: [Panics]\nrules: [{level: None}]`,
    /omitStages\[0\] is "Panics"; .* did you mean Panic\?/,
  ],
  [
    "a path without slash",
    `${head}rules: [{level: None, nonResourceURLs: [version]}]`,
    /nonResourceURLs\[0\] is "version"; expected a path that begins with \//,
  ],
  ["a star within", `${head}rules: [{level: None, nonResourceURLs: [/a/*/b]}]`, /"\/a\/\*\/b"; \* may only be the last character/],
  ["paths and namespaces", `${head}rules: [{level: None, nonResourceURLs: [/a], namespaces: [shop]}]`, /nonResourceURLs beside namespaces/],
  [
    "paths and resources",
    `${head}rules: [{level: None, nonResourceURLs: [/a], resources: [{group: ""}]}]`,
    /nonResourceURLs beside resources/,
  ],
  [
    "names without resources",
    `${head}rules: [{level: None, resources: [{group: "", resourceNames: [a]}]}]`,
    /resourceNames without resources/,
  ],
  [
    "a group with its version",
    `${head}rules: [{level: None, resources: [{group: apps/v1}]}]`,
    /group is "apps\/v1"; expected the group without a version/,
  ],
  ["a number among users", `${head}rules: [{level: None, users: [1]}]`, /rules\[0\].users\[0\] is 1; expected a text/],
  ["a list that is none", `${head}rules: [{level: None, verbs: get}]`, /rules\[0\].verbs is "get"; expected a list/],
  ["a flag that is none", `${head}omitManagedFields: "yes"\nrules: [{level: None}]`, /omitManagedFields is "yes"; expected true or false/],
])("a policy with %s is refused", (_what, text, message) => {
  expect(() => readPolicy(text, vendor)).toThrow(PolicyError)
  expect(() => readPolicy(text, vendor)).toThrow(message)
})
