/** `server.as`: a server as users see it whose permissions a test is about. */
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

it("nobody is refused by a server that was told nothing of permissions, which says so", async () => {
  const server = await start({})
  expect(() => server.as("jane")).toThrow(/jane may do everything: .* startServer\(\{ "authorization-mode": \["RBAC"\] \}\)/)
  const open = await start({ "authorization-mode": ["AlwaysAllow"] })
  expect((await open.as("jane").api.core.v1.namespaces.list()).items.length).toBeGreaterThan(2)
})
