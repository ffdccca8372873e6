/** `server.as`: the server as seen by users whose permissions a test is about. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { parse } from "yaml"
import { type LibraryServer, startServer } from "../runtime/library.ts"
import { createHttpClient } from "./support/http-client.ts"

const rbac = { "authorization-mode": ["RBAC" as const], vendor: "kubernetes" as const }
const apiGroup = "rbac.authorization.k8s.io"

async function start(options: Parameters<typeof startServer>[0]): Promise<LibraryServer> {
  const server = await startServer(options)
  onTestFinished(() => server.stop())
  return server as LibraryServer // Without own kinds, whatever the options.
}

const viewers = {
  metadata: { name: "viewers" },
  roleRef: { apiGroup, kind: "ClusterRole", name: "view" },
  subjects: [
    { kind: "Group", apiGroup, name: "devs" },
    { kind: "ServiceAccount", name: "builder", namespace: "default" },
  ],
}

describe("a user of a server with roles", () => {
  it("may do what is granted, from the first moment, and nothing else", async () => {
    const server = await start(rbac)
    await server.api.rbac.v1.rolebindings.create("default", viewers)
    const jane = server.as("jane", ["devs"])
    expect(jane.user).toEqual({ name: "jane", groups: ["devs", "system:authenticated"], extra: {} })
    expect((await jane.api.core.v1.pods.list("default")).items).toEqual([])
    await expect(jane.api.core.v1.pods.list("kube-system")).rejects.toMatchObject({
      code: 403,
      message: 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "kube-system"',
    })
    await expect(jane.api.core.v1.secrets.list("default")).rejects.toMatchObject({ code: 403 })
    await expect(server.as("jane").api.core.v1.pods.list("default")).rejects.toMatchObject({ code: 403 })
    const place = { group: "", version: "v1", resource: "pods", namespace: "default" }
    expect((await server.as("system:serviceaccount:default:builder").client.list(place)).items).toEqual([])
    await expect(server.as("system:serviceaccount:other:builder").client.list(place)).rejects.toMatchObject({ code: 403 })
  })

  it("is who the server says", async () => {
    const server = await start(rbac)
    const review = async (...who: Parameters<LibraryServer["as"]>): Promise<unknown> =>
      (await server.as(...who).api.authentication.v1.selfsubjectreviews.create({ metadata: {} })).status?.userInfo
    expect(await review("jane", [], { uid: "1", extra: { team: ["a"] } })).toMatchObject({
      username: "jane",
      uid: "1",
      groups: ["system:authenticated"],
      extra: { team: ["a"] },
    })
    expect(await review("system:serviceaccount:default:builder")).toMatchObject({
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    })
  })

  it("has a kubeconfig, with which the administrator acts as the user", async () => {
    const server = await start(rbac)
    const { users } = parse(server.as("jane", ["devs"]).kubeconfig) as { users: { user: Record<string, unknown> }[] }
    expect(users[0]?.user).toEqual({ token: server.token, as: "jane", "as-groups": ["devs", "system:authenticated"] })
    const client = createHttpClient({ protocol: "http2", port: Number(new URL(server.url).port), authority: server.caPem })
    onTestFinished(() => client.close())
    const headers = { authorization: `Bearer ${server.token}`, "impersonate-user": "jane", "impersonate-group": "devs" }
    expect((await client.send({ method: "GET", path: "/api/v1/pods", headers })).status).toBe(403)
  })

  it("has the same permissions after a reset, which keeps the roles of the start", async () => {
    const server = await start(rbac)
    await server.api.rbac.v1.rolebindings.create("default", viewers)
    await server.api.rbac.v1.clusterroles.patch("view", { metadata: { labels: { changed: "yes" } } })
    await server.reset()
    const jane = server.as("jane", ["devs"])
    await expect(jane.api.core.v1.pods.list("default")).rejects.toMatchObject({ code: 403 })
    expect((await server.api.rbac.v1.clusterroles.get("view")).metadata.labels).not.toHaveProperty("changed")
    await server.api.rbac.v1.rolebindings.create("default", viewers)
    expect((await jane.api.core.v1.pods.list("default")).items).toEqual([])
  })
})

it("is recorded by audit under its own name, with decision and answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "users-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [policy, path] = [join(folder, "policy.yaml"), join(folder, "audit.log")]
  const rules = "[{level: None, users: [admin]}, {level: RequestResponse, resources: [{resources: [configmaps]}]}, {level: Metadata}]"
  writeFileSync(policy, `{apiVersion: audit.k8s.io/v1, kind: Policy, omitStages: [RequestReceived], rules: ${rules}}`)
  const server = await startServer({ ...rbac, "audit-policy-file": policy, "audit-log-path": path })
  await server.api.rbac.v1.rolebindings.create("default", { ...viewers, roleRef: { ...viewers.roleRef, name: "edit" } })
  const { configmaps, secrets, pods } = server.as("jane", ["devs"]).api.core.v1
  await configmaps.create("default", { metadata: { name: "made" }, data: { a: "1" } })
  await configmaps.patch("default", "made", { data: { a: "2" } })
  await expect(secrets.get("kube-system", "hidden")).rejects.toMatchObject({ code: 403 })
  for await (const _event of pods.watch("default", { resourceVersion: "1", signal: AbortSignal.timeout(1) }));
  await configmaps.delete("default", "made")
  await server.stop()
  const events = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditEvent)
  const { user, userAgent, requestURI, annotations, requestObject, responseObject } = events[0] ?? {}
  expect(user).toEqual({ username: "jane", groups: ["devs", "system:authenticated"] })
  expect([userAgent, requestURI]).toEqual(["orch-apiserver/in-process", "/api/v1/namespaces/default/configmaps?fieldValidation=Strict"])
  expect(annotations?.["authorization.k8s.io/decision"]).toBe("allow")
  expect([requestObject?.data, responseObject?.data]).toEqual([{ a: "1" }, { a: "1" }])
  expect(responseObject?.metadata?.uid).toEqual(expect.any(String))
  expect(
    events.map(({ stage, verb, responseStatus, objectRef }) => `${verb} ${objectRef?.name ?? ""} ${responseStatus?.code} ${stage}`),
  ).toEqual([
    "create made 201 ResponseComplete",
    "patch made 200 ResponseComplete",
    "get hidden 403 ResponseComplete",
    "watch  200 ResponseStarted",
    "watch  200 ResponseComplete",
    "delete made 200 ResponseComplete",
  ])
  expect(events[1]?.requestObject).toEqual({ data: { a: "2" } })
})

interface AuditEvent {
  readonly stage: string
  readonly verb: string
  readonly user: object
  readonly userAgent: string
  readonly requestURI: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly objectRef?: { readonly name?: string }
  readonly responseStatus?: { readonly code: number }
  readonly requestObject?: { readonly data?: object }
  readonly responseObject?: { readonly data?: object; readonly metadata?: { readonly uid?: string } }
}

it("nobody is refused by a server that was told nothing of permissions, which says so", async () => {
  const server = await start({})
  expect(() => server.as("jane")).toThrow(/jane may do everything: .* startServer\(\{ "authorization-mode": \["RBAC"\] \}\)/)
  const open = await start({ "authorization-mode": ["AlwaysAllow"] })
  expect((await open.as("jane").api.core.v1.namespaces.list()).items.length).toBeGreaterThan(2)
})
