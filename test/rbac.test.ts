/** A server with the mode RBAC: roles and bindings decide as they come, change and go. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { api } from "../generated/index.ts"
import type { User } from "../runtime/base/user.ts"
import { inProcessClient } from "../runtime/client/in-process-client.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
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
    await expect.poll(async () => (await admin().rbac.v1.clusterroles.get("view")).rules?.length ?? 0).toBeGreaterThan(5)
    expect((await status("/apis", "jane"))[0]).toBe(200)
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
  const maps = await inProcessClient(second.server.parts, jane).list({ group: "", version: "v1", resource: "configmaps", namespace: "" })
  expect(maps.items).toEqual([])
  await second.stop()
})
