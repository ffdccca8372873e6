/** A server with the mode RBAC: decisions follow roles and bindings as they are created, changed and deleted. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { api } from "../generated/index.ts"
import type { PolicyRule } from "../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { User } from "../runtime/base/user.ts"
import { inProcessClient } from "../runtime/client/in-process-client.ts"
import { createHttpClient, type HttpClient, type Protocol } from "./support/http-client.ts"
import { adminToken, type InProcess, startInProcess } from "./support/in-process.ts"

const jane: User = { name: "jane", groups: ["devs"], extra: {} }
const roleRef = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name })
const toJane = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }]
const devs = [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "devs" }]
const reads = { verbs: ["get", "list"], apiGroups: [""], resources: ["configmaps"] }

let at: InProcess
let http: HttpClient
beforeAll(async () => {
  at = await startInProcess({ store: "memory", vendor: "kubernetes", authorizationModes: ["RBAC"], anonymousAuth: true, users: [jane] })
  http = createHttpClient({ protocol: "http1", port: at.port, authority: at.authority })
})
afterAll(async () => {
  http?.close()
  await at?.stop()
})

const master: User = { name: "admin", groups: ["system:masters"], extra: {} }
const admin = () => api(inProcessClient(at.server.parts, master))
const asJane = () => api(inProcessClient(at.server.parts, jane))

async function status(path: string, token: string | undefined, more: { method?: string; body?: string } = {}): Promise<[number, string]> {
  const headers = { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const { status: code, body } = await http.send({
    method: more.method ?? "GET",
    path,
    headers,
    ...(more.body && { body: Buffer.from(more.body) }),
  })
  return [code, body.toString()]
}

describe("a user", () => {
  it("may do nothing that no role allows, and the refusal says what", async () => {
    expect(await status("/api/v1/namespaces/default/configmaps", "jane")).toMatchObject([
      403,
      expect.stringContaining(
        'configmaps is forbidden: User \\"jane\\" cannot list resource \\"configmaps\\" in API group \\"\\" in the namespace \\"default\\""',
      ),
    ])
    expect((await status("/metrics", "jane"))[0]).toBe(403)
    expect((await status("/metrics", adminToken))[0]).toBe(200)
    expect((await status("/healthz/ping", undefined))[0]).toBe(403)
  })

  it("has the roles of the system, united ones included", async () => {
    await expect.poll(async () => (await status("/healthz", undefined))[0]).toBe(200)
    await expect
      .poll(async () => {
        // The union waits for the role of its controller.
        await at.clock.advance(1000)
        return (await admin().rbac.v1.clusterroles.get("edit")).rules?.length ?? 0
      })
      .toBeGreaterThan(15)
    expect((await status("/apis", "jane"))[0]).toBe(200)
  })

  it("finds a server that is ready with all roles of the system", async () => {
    const check = "poststarthook/rbac/bootstrap-roles"
    for (const endpoint of ["healthz", "livez", "readyz"]) {
      await expect.poll(async () => (await status(`/${endpoint}/${check}`, adminToken))[0]).toBe(200)
      const [, text] = await status(`/${endpoint}?verbose`, adminToken)
      const lines = text.split("\n")
      expect(lines.indexOf(`[+]${check} ok`)).toBeLessThan(lines.indexOf("[+]poststarthook/bootstrap-controller ok"))
    }
    const { clusterroles } = admin().rbac.v1
    await clusterroles.delete("view")
    expect((await status(`/readyz/${check}`, adminToken))[0]).toBe(200)
  })

  it("may do in a namespace what a binding there allows, until it is gone", async () => {
    const { roles, rolebindings } = admin().rbac.v1
    const path = "/api/v1/namespaces/default/configmaps"
    await roles.create("default", { metadata: { name: "reader" }, rules: [reads] })
    expect((await status(path, "jane"))[0]).toBe(403)
    await rolebindings.create("default", { metadata: { name: "readers" }, roleRef: roleRef("Role", "reader"), subjects: devs })
    expect((await status(path, "jane"))[0]).toBe(200)
    expect((await status("/api/v1/configmaps", "jane"))[0]).toBe(403)
    expect((await status(path, "jane", { method: "POST", body: '{"metadata":{"name":"x"}}' }))[0]).toBe(403)
    await roles.delete("default", "reader")
    expect(await status(path, "jane")).toMatchObject([
      403,
      expect.stringContaining('RBAC: role.rbac.authorization.k8s.io \\"reader\\" not found'),
    ])
    await rolebindings.delete("default", "readers")
    expect((await status(path, "jane"))[1]).not.toContain("RBAC")
  })

  it("may read an object by name, also with a list or watch of that name alone", async () => {
    const { clusterroles, clusterrolebindings } = admin().rbac.v1
    const rule = { verbs: ["get", "list"], apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"] }
    await clusterroles.create({ metadata: { name: "mine" }, rules: [rule, { verbs: ["get"], nonResourceURLs: ["/healthz*"] }] })
    await clusterrolebindings.create({ metadata: { name: "mine" }, roleRef: roleRef("ClusterRole", "mine"), subjects: toJane })
    expect((await status("/api/v1/namespaces/default/secrets/mine", "jane"))[0]).toBe(404)
    expect((await status("/api/v1/namespaces/default/secrets/other", "jane"))[0]).toBe(403)
    expect((await status("/api/v1/secrets?fieldSelector=metadata.name%3Dmine", "jane"))[0]).toBe(200)
    expect((await status("/api/v1/secrets?fieldSelector=metadata.name%3Dother", "jane"))[0]).toBe(403)
    expect((await status("/api/v1/secrets", "jane"))[0]).toBe(403)
    expect((await status("/healthz", "jane"))[0]).toBe(200)
  })

  it("may change and not create with the rights to change, whatever the way to create", async () => {
    const { roles, rolebindings } = admin().rbac.v1
    const may = (...verbs: string[]) => ({
      metadata: { name: "labels" },
      rules: [{ verbs, apiGroups: ["", "coordination.k8s.io"], resources: ["*"] }],
    })
    await roles.create("default", may("get", "update", "patch"))
    await rolebindings.create("default", { metadata: { name: "labels" }, roleRef: roleRef("Role", "labels"), subjects: toJane })
    const { core, coordination } = asJane()
    const refused = (text: string) => ({ code: 403, message: `${text} in the namespace "default"` })
    const applied = (options = {}) =>
      core.v1.configmaps.apply("default", { metadata: { name: "new" }, data: { a: "b" } }, { fieldManager: "jane", ...options })
    const put = (options = {}) => coordination.v1.leases.update("default", { metadata: { name: "new" }, spec: {} }, options)
    const noConfigMap = refused('configmaps "new" is forbidden: User "jane" cannot create resource "configmaps" in API group ""')
    const noLease = refused(
      'leases.coordination.k8s.io "new" is forbidden: User "jane" cannot create resource "leases" in API group "coordination.k8s.io"',
    )
    for (const options of [{}, { dryRun: true }]) {
      await expect(applied(options)).rejects.toMatchObject(noConfigMap)
      await expect(put(options)).rejects.toMatchObject(noLease)
    }
    await roles.update("default", may("get", "update", "patch", "create"))
    await expect.poll(async () => (await applied()).data).toEqual({ a: "b" })
    expect(await put()).toMatchObject({ metadata: { name: "new" } })
  })

  it("reads all namespaces with a right to all, also those that a selector names", async () => {
    const { roles, rolebindings } = admin().rbac.v1
    await roles.create("default", { metadata: { name: "own" }, rules: [{ verbs: ["*"], apiGroups: [""], resources: ["namespaces"] }] })
    await rolebindings.create("default", { metadata: { name: "own" }, roleRef: roleRef("Role", "own"), subjects: toJane })
    expect((await status("/api/v1/namespaces/default", "jane"))[0]).toBe(200)
    expect(await status("/api/v1/namespaces?fieldSelector=metadata.name%3Ddefault", "jane")).toMatchObject([
      403,
      expect.stringContaining("at the cluster scope"),
    ])
  })

  it("sees in reviews what it may do, and why", async () => {
    const { selfsubjectaccessreviews, selfsubjectrulesreviews } = asJane().authorization.v1
    const { clusterroles, clusterrolebindings } = admin().rbac.v1
    const rule = {
      verbs: ["create"],
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    }
    await clusterroles.create({ metadata: { name: "asks" }, rules: [rule] })
    await clusterrolebindings.create({ metadata: { name: "asks" }, roleRef: roleRef("ClusterRole", "asks"), subjects: toJane })
    const asked = { verb: "create", group: "authorization.k8s.io", resource: "selfsubjectaccessreviews" }
    expect((await selfsubjectaccessreviews.create({ metadata: {}, spec: { resourceAttributes: asked } })).status).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "asks" of ClusterRole "asks" to User "jane"',
    })
    const { status: listed } = await selfsubjectrulesreviews.create({ metadata: {}, spec: { namespace: "default" } })
    expect(listed).toMatchObject({ incomplete: false, nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz*"] }] })
    expect(listed.resourceRules).toContainEqual(rule)
  })
})

describe("a user who may write roles", () => {
  const bob: User = { name: "bob", groups: ["writers", "system:authenticated"], extra: {} }
  const asBob = () => api(inProcessClient(at.server.parts, bob)).rbac.v1
  const secret = { verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["secrets"] }
  const toBob = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "bob" }]
  const grant = async (
    name: string,
    ...rules: { verbs: string[]; apiGroups?: string[]; resources?: string[]; resourceNames?: string[] }[]
  ) => {
    const { clusterroles, clusterrolebindings } = admin().rbac.v1
    await clusterroles.create({ metadata: { name }, rules })
    await clusterrolebindings.create({ metadata: { name }, roleRef: roleRef("ClusterRole", name), subjects: toBob })
  }
  const rbacGroup = ["rbac.authorization.k8s.io"]
  beforeAll(async () => {
    const verbs = ["get", "list", "create", "update", "patch", "delete"]
    await grant(
      "writes-roles",
      { verbs, apiGroups: rbacGroup, resources: ["roles", "clusterroles", "rolebindings", "clusterrolebindings"] },
      reads,
    )
  })

  it("may grant what it holds, and the refusal of more says what is missing", async () => {
    const { roles, clusterroles } = asBob()
    await roles.create("default", { metadata: { name: "held" }, rules: [{ ...reads, verbs: ["get"], resourceNames: ["x"] }] })
    const text =
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "bob" (groups=["writers" "system:authenticated"]) is attempting to grant RBAC ' +
      'permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}\n' +
      '{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "list"]}'
    await expect(roles.create("default", { metadata: { name: "more" }, rules: [reads, secret] })).rejects.toMatchObject({
      code: 403,
      message: text,
    })
    const held = { metadata: { name: "held" } }
    await expect(roles.update("default", { ...(await roles.get("default", "held")), rules: [secret] })).rejects.toMatchObject({ code: 403 })
    await expect(roles.patch("default", "held", { rules: [secret] })).rejects.toMatchObject({ code: 403 })
    await expect(roles.apply("default", { ...held, rules: [secret] }, { fieldManager: "bob", force: true })).rejects.toMatchObject({
      code: 403,
    })
    await roles.patch("default", "held", { metadata: { labels: { a: "1" } } })
    await expect(
      clusterroles.create({ metadata: { name: "all" }, rules: [{ verbs: ["*"], nonResourceURLs: ["*"] }] }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('{NonResourceURLs:["*"], Verbs:["*"]}'),
    })
  })

  it("may neither make, add, change nor drop an aggregationRule without everything, which its role may come to hold", async () => {
    const { clusterroles } = asBob()
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] }
    const other = { clusterRoleSelectors: [{ matchLabels: { a: "c" } }] }
    const refused = { code: 403, message: expect.stringContaining("must have cluster-admin privileges to use the aggregationRule") }
    await expect(clusterroles.create({ metadata: { name: "united" }, aggregationRule, rules: [] })).rejects.toMatchObject(refused)
    await clusterroles.create({ metadata: { name: "plain" }, rules: [] })
    await expect(clusterroles.patch("plain", { aggregationRule })).rejects.toMatchObject(refused)
    const plain = await clusterroles.get("plain")
    await expect(clusterroles.update({ ...plain, aggregationRule })).rejects.toMatchObject(refused)
    const applied = { metadata: { name: "plain" }, aggregationRule }
    await expect(clusterroles.apply(applied, { fieldManager: "bob", force: true })).rejects.toMatchObject(refused)
    await admin().rbac.v1.clusterroles.create({ metadata: { name: "united" }, aggregationRule })
    await expect(clusterroles.patch("united", { aggregationRule: other })).rejects.toMatchObject(refused)
    await expect(clusterroles.patch("united", { aggregationRule: null })).rejects.toMatchObject(refused)
    expect(await clusterroles.patch("united", { metadata: { labels: { a: "1" } } })).toMatchObject({ aggregationRule })
  })

  it("may bind only roles whose rules it holds, and that exist", async () => {
    const { rolebindings, clusterrolebindings } = asBob()
    const subjects = toJane
    await rolebindings.create("default", { metadata: { name: "held" }, roleRef: roleRef("Role", "held"), subjects })
    await expect(
      rolebindings.create("default", { metadata: { name: "admin" }, roleRef: roleRef("ClusterRole", "cluster-admin"), subjects }),
    ).rejects.toMatchObject({ code: 403, message: expect.stringContaining("not currently held") })
    await expect(
      clusterrolebindings.create({ metadata: { name: "gone" }, roleRef: roleRef("ClusterRole", "gone"), subjects }),
    ).rejects.toMatchObject({ code: 404, message: 'clusterroles.rbac.authorization.k8s.io "gone" not found' })
  })

  it("may do both with the verbs escalate and bind", async () => {
    await grant("escalates", { verbs: ["escalate"], apiGroups: rbacGroup, resources: ["roles"] })
    await grant("binds", { verbs: ["bind"], apiGroups: rbacGroup, resources: ["clusterroles"], resourceNames: ["cluster-admin"] })
    const { roles, rolebindings, clusterroles } = asBob()
    await roles.patch("default", "held", { rules: [secret] })
    await expect(clusterroles.create({ metadata: { name: "more" }, rules: [secret] })).rejects.toMatchObject({ code: 403 })
    await rolebindings.create("default", {
      metadata: { name: "admin" },
      roleRef: roleRef("ClusterRole", "cluster-admin"),
      subjects: toJane,
    })
    await expect(
      rolebindings.create("default", { metadata: { name: "edit" }, roleRef: roleRef("ClusterRole", "edit"), subjects: toJane }),
    ).rejects.toMatchObject({ code: 403 })
  })

  it("is not compared beyond a limit", async () => {
    const many = Array.from({ length: 200 }, (_, index) => `r${index}`)
    const rules: [count: number, rule: PolicyRule][] = [
      [8_000_000, { verbs: many, apiGroups: many, resources: many }],
      [40_000, { verbs: many, apiGroups: [""], resources: ["secrets"], resourceNames: many }],
      [40_000, { verbs: many, nonResourceURLs: many.map((name) => `/${name}`) }],
    ]
    for (const [count, rule] of rules)
      await expect(asBob().clusterroles.create({ metadata: { name: "huge" }, rules: [rule] })).rejects.toMatchObject({
        code: 403,
        message: expect.stringContaining(`the rules are ${count} single permissions`),
      })
  })
})

describe.each<Protocol>(["http1", "http2"])("impersonation over %s", (protocol) => {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
  const ask = async (token: string, headers: Record<string, string | string[]>): Promise<[number, unknown]> => {
    const client = createHttpClient({ protocol, port: at.port, authority: at.authority })
    const body = Buffer.from('{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}')
    const all = { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers }
    const answer = await client.send({ method: "POST", path, headers: all, body })
    client.close()
    const text = answer.body.toString()
    return [answer.status, text.startsWith("{") ? JSON.parse(text) : text]
  }

  it("acts as the user with the groups that the headers name", async () => {
    const headers = { "impersonate-user": "joe", "impersonate-group": ["a, b", "c"] }
    expect(await ask(adminToken, headers)).toMatchObject([
      201,
      { status: { userInfo: { username: "joe", groups: ["a, b", "c", "system:authenticated"] } } },
    ])
  })

  it("needs a permission for each part, and a user", async () => {
    expect(await ask("jane", { "impersonate-user": "joe" })).toMatchObject([
      403,
      { message: 'users "joe" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope' },
    ])
    expect(await ask(adminToken, { "impersonate-group": "a" })).toEqual([500, expect.stringMatching(/^Internal Server Error: "\/apis.*/)])
  })
})

it("a server that starts has read the policy when it is ready", async () => {
  const dir = await mkdtemp(join(tmpdir(), "rbac-"))
  onTestFinished(() => rm(dir, { recursive: true }))
  const how = { store: "lmdb", dir, vendor: "kubernetes", authorizationModes: ["RBAC"], users: [jane] } as const
  const first = await startInProcess(how)
  const { clusterroles, clusterrolebindings } = api(inProcessClient(first.server.parts, master)).rbac.v1
  await clusterroles.create({ metadata: { name: "reads" }, rules: [reads] })
  await clusterrolebindings.create({ metadata: { name: "reads" }, roleRef: roleRef("ClusterRole", "reads"), subjects: toJane })
  await first.stop()
  const second = await startInProcess(how)
  const maps = await inProcessClient(second.server.parts, jane).list({
    group: "",
    version: "v1",
    resource: "configmaps",
    namespace: "default",
  })
  expect(maps.items).toEqual([])
  await second.stop()
})
