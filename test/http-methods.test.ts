/**
 * A method is one that the API knows, in its spelling. HTTP/2 takes any word for a method; a method named like a verb
 * of the API has no verb, so no role permits it and nothing answers it.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { User } from "../runtime/base/user.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { adminToken, type InProcess, startInProcess } from "./support/in-process.ts"
import { connectRaw } from "./support/raw-connection.ts"

/** A user that may do everything that an API verb names, and nothing else. */
const eve: User = { name: "eve", groups: [], extra: {} }
const eveVerbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]
/** A user that may do everything, although not as a member of system:masters. */
const root: User = { name: "root", groups: [], extra: {} }

const words = ["list", "watch", "get", "update", "deletecollection", "delete", "Delete", "OPTIONS", "TRACE", "FROB", "__proto__"]
const configMaps = "/api/v1/namespaces/default/configmaps"
const resources = [
  configMaps,
  `${configMaps}/kept`,
  "/api/v1/namespaces/default/pods/p/status",
  "/api/v1/namespaces/default/pods/p/log",
  "/api/v1/namespaces/default/pods/p/exec",
  "/apis/apps/v1/namespaces/default/deployments/d/scale",
]

async function startWithRoles(http2: "own" | "node"): Promise<InProcess> {
  const at = await startInProcess({
    store: "memory",
    vendor: "kubernetes",
    authorizationModes: ["RBAC"],
    anonymousAuth: true,
    users: [eve, root],
    http2,
  })
  const client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
    const { status, body: answer } = await client.send({ method: "POST", path, headers, body: Buffer.from(JSON.stringify(body)) })
    if (status !== 201) throw new Error(`${path}: ${answer}`)
  }
  const roles = "/apis/rbac.authorization.k8s.io/v1"
  const rules = [
    { verbs: eveVerbs, apiGroups: ["*"], resources: ["*"] },
    { verbs: ["get"], nonResourceURLs: ["*"] },
  ]
  await post(`${roles}/clusterroles`, { metadata: { name: "all-verbs" }, rules })
  for (const [name, role] of [
    ["eve", "all-verbs"],
    ["root", "cluster-admin"],
  ] as const) {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role }
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name }]
    await post(`${roles}/clusterrolebindings`, { metadata: { name }, roleRef, subjects })
  }
  await post(configMaps, { metadata: { name: "kept" } })
  client.close()
  return at
}

describe.each(["own", "node"] as const)("over HTTP/2 (%s)", (http2) => {
  let at: InProcess
  let client: HttpClient
  beforeAll(async () => {
    at = await startWithRoles(http2)
    client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
    const rolesAreKnown = async () => {
      for (const token of ["root", "eve"]) expect(await ask("GET", `${configMaps}/kept`, token)).toMatchObject({ status: 200 })
      expect(await ask("GET", "/healthz", undefined)).toMatchObject({ status: 200 })
    }
    await vi.waitFor(rolesAreKnown, { timeout: 20_000 })
  })
  afterAll(async () => {
    client?.close()
    await at?.stop()
  })

  async function ask(method: string, path: string, token: string | undefined): Promise<{ status: number; text: string }> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const { status, body } = await client.send({ method, path, headers })
    return { status, text: body.toString() }
  }

  it.each(words)("%s is no verb, so only one who may do everything comes as far as 405", async (word) => {
    for (const path of resources) {
      const refusal = { status: 403, text: expect.stringContaining("cannot  resource ") }
      expect([path, await ask(word, path, undefined)]).toEqual([path, refusal])
      expect([path, await ask(word, path, "eve")]).toEqual([path, refusal])
      const none = { status: 405, text: expect.stringContaining("the server does not allow this method on the requested resource") }
      expect([path, await ask(word, path, "root")]).toEqual([path, none])
      expect([path, await ask(word, path, adminToken)]).toEqual([path, none])
    }
    expect(await ask("GET", `${configMaps}/kept`, adminToken)).toMatchObject({ status: 200 })
  })

  it("has the method in lower case as the verb of other paths, where roles name methods", async () => {
    for (const path of ["/api/v1", "/version", "/healthz", "/openapi/v2", "/metrics", "/nothing"]) {
      const refusal = { status: 403, text: expect.stringContaining(`User \\"eve\\" cannot list path \\"${path}\\"`) }
      expect(await ask("list", path, "eve")).toEqual(refusal)
      expect(await ask("FROB", path, undefined)).toMatchObject({ status: 403 })
    }
    for (const path of ["/api/v1", "/version"]) expect(await ask("list", path, adminToken)).toMatchObject({ status: 405 })
    expect(await ask("list", "/nothing", adminToken)).toMatchObject({ status: 404 })
    expect(await ask("list", "/api/v1/nothing", adminToken)).toMatchObject({ status: 404 })
  })

  it("authorizes a /watch/ path as a watch, whatever the method", async () => {
    const text = expect.stringContaining("cannot watch resource")
    for (const method of ["DELETE", "POST", "list", "OPTIONS"]) {
      expect(await ask(method, "/api/v1/watch/namespaces/default/configmaps", undefined)).toEqual({ status: 403, text })
      expect(await ask(method, "/api/v1/watch/namespaces/default/configmaps", "eve")).toMatchObject({ status: 405 })
      expect(await ask(method, "/api/v1/watch/namespaces/default/configmaps/kept", "eve")).toMatchObject({ status: 405 })
    }
  })
})

describe("over HTTP/1.1", () => {
  it.each(["list", "get", "deletecollection", "delete", "FROB"])("%s reaches nothing", async (word) => {
    const at = await startInProcess({ store: "memory", vendor: "kubernetes" })
    const connection = await connectRaw({ port: at.port, authority: at.authority })
    connection.send(`${word} ${configMaps} HTTP/1.1`, "Host: a", `Authorization: Bearer ${adminToken}`, "", "")
    expect(await connection.answer()).toMatchObject({ status: 405 })
    connection.socket.destroy()
    await at.stop()
  })
})
