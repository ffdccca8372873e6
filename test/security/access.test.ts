/** Past vulnerabilities of authorization, tried against one server with the mode RBAC. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { api } from "../../generated/index.ts"
import type { JsonObject } from "../../runtime/base/json.ts"
import type { User } from "../../runtime/base/user.ts"
import { inProcessClient } from "../../runtime/client/in-process-client.ts"
import { createHttpClient, type HttpClient } from "../support/http-client.ts"
import { connectRaw } from "../support/raw-connection.ts"
import { adminToken, type InProcess, startInProcess } from "../support/in-process.ts"

const users: readonly User[] = ["team-admin", "foo-reader", "lister", "actor", "root-actor"].map((name) => ({
  name,
  groups: [],
  extra: {},
}))
const group = "security.example.com"
const secret = "what-only-others-may-read"

let at: InProcess
let http: HttpClient

type Rule = { verbs: string[]; apiGroups?: string[]; resources?: string[]; resourceNames?: string[] }

beforeAll(async () => {
  at = await startInProcess({ store: "memory", vendor: "kubernetes", authorizationModes: ["RBAC"], users })
  http = createHttpClient({ protocol: "http1", port: at.port, authority: at.authority })
  const { core, rbac } = api(inProcessClient(at.server.parts, { name: "admin", groups: ["system:masters"], extra: {} }))
  await core.v1.namespaces.create({ metadata: { name: "team" } })
  const subject = (name: string) => [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name }]
  const roleRef = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name })
  const all = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] }
  await rbac.v1.roles.create("team", { metadata: { name: "all" }, rules: [all] })
  await rbac.v1.rolebindings.create("team", { metadata: { name: "all" }, roleRef: roleRef("Role", "all"), subjects: subject("team-admin") })
  const grant = async (name: string, ...rules: Rule[]): Promise<void> => {
    await rbac.v1.clusterroles.create({ metadata: { name }, rules })
    await rbac.v1.clusterrolebindings.create({ metadata: { name }, roleRef: roleRef("ClusterRole", name), subjects: subject(name) })
  }
  const reviews = { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] }
  const actsAs = (resource: string, ...resourceNames: string[]): Rule => ({
    verbs: ["impersonate"],
    apiGroups: [""],
    resources: [resource],
    ...(resourceNames.length > 0 && { resourceNames }),
  })
  await grant("foo-reader", { verbs: ["get", "list", "watch"], apiGroups: [group], resources: ["foos"] })
  await grant("lister", { verbs: ["get", "list"], apiGroups: ["", group], resources: ["configmaps", "foos"] })
  await grant("actor", reviews, actsAs("users"), actsAs("groups", "devs"))
  await grant("root-actor", reviews, actsAs("users"), actsAs("groups", "system:masters"))
  for (const [plural, scope] of [
    ["foos", "Namespaced"],
    ["foosbar", "Namespaced"],
    ["worlds", "Cluster"],
  ] as const)
    await define(plural, scope)
  await make(`/apis/${group}/v1/namespaces/team/foosbar`, "one", { secret })
  await make(`/apis/${group}/v1/namespaces/default/foos`, "two", { secret: "open" })
  await make(`/apis/${group}/v1/worlds`, "earth", { secret })
  await make("/api/v1/nodes", "n", {}, { labels: { secret } })
  await make("/api/v1/namespaces/default/configmaps", "other", { secret })
})
afterAll(async () => {
  http?.close()
  await at?.stop()
})

async function define(plural: string, scope: "Namespaced" | "Cluster"): Promise<void> {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
  const names = { plural, kind: plural.replace(/^./, (first) => first.toUpperCase()) }
  const spec = { group, scope, names, versions: [{ name: "v1", served: true, storage: true, schema }] }
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  const body = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: `${plural}.${group}` }, spec }
  expect((await ask("POST", path, adminToken, { body })).status).toBe(201)
  while ((await ask("GET", `/apis/${group}/v1/${plural}`, adminToken)).status !== 200) await new Promise((resolve) => setImmediate(resolve))
}

async function make(path: string, name: string, data: JsonObject, metadata: JsonObject = {}): Promise<void> {
  const plural = path.split("/").at(-1) ?? ""
  const kinds: Readonly<Record<string, string>> = { nodes: "Node", configmaps: "ConfigMap" }
  const kind = kinds[plural] ?? plural.replace(/^./, (first) => first.toUpperCase())
  const apiVersion = path.startsWith("/api/") ? "v1" : `${group}/v1`
  const body = { apiVersion, kind, metadata: { name, ...metadata }, ...(Object.keys(data).length > 0 && { data }) }
  expect(await ask("POST", path, adminToken, { body })).toMatchObject({ status: 201 })
}

interface Told {
  readonly status: number
  readonly text: string
}

async function ask(
  method: string,
  path: string,
  token: string,
  { body, headers = {} }: { readonly body?: JsonObject; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Told> {
  const answer = await http.send({
    method,
    path,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
  })
  return { status: answer.status, text: answer.body.toString() }
}

describe("what is of the cluster is not reached through a namespace (CVE-2019-11247)", () => {
  const places = [
    `/apis/${group}/v1/namespaces/team/worlds`,
    "/api/v1/namespaces/team/nodes",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/team/clusterroles",
  ]
  const names = ["earth", "n", "cluster-admin"]

  it.each(places.map((place, index) => [place, names[index] ?? ""] as const))("%s", async (place, name) => {
    for (const path of [
      place,
      `${place}/${name}`,
      `${place}/${name}/status`,
      `${place}?watch=1&timeoutSeconds=1`,
      place.replace("/v1/", "/v1/watch/"),
    ])
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        const body = method === "GET" ? {} : { body: { metadata: { name } } }
        const { status, text } = await ask(method, path, "team-admin", body)
        expect([method, path, status, text.includes(secret)]).toEqual([method, path, status === 405 ? 405 : 404, false])
      }
    const own = place.replace("/namespaces/team", "")
    expect((await ask("GET", `${own}/${name}`, adminToken)).status).toBe(200)
    expect((await ask("GET", `${own}/${name}`, "team-admin")).status).toBe(403)
  })

  it("and an object with a namespace is not made without one", async () => {
    for (const path of ["/api/v1/configmaps", `/apis/${group}/v1/foos`])
      expect([path, (await ask("POST", path, adminToken, { body: { metadata: { name: "x" } } })).status]).toEqual([path, 405])
  })
})

describe("a kind is not read through another whose name begins like it, or by steps up (CVE-2022-3162)", () => {
  const foos = `/apis/${group}/v1/namespaces/team/foos`
  const paths = [
    `/apis/${group}/v1/foos`,
    foos,
    `${foos}bar`,
    `${foos}bar/one`,
    ...["..", "%2e%2e", "%2E.", ".%2e"].flatMap((up) => [`${foos}/${up}/foosbar/one`, `${foos}/${up}%2ffoosbar%2fone`, `${foos}/${up}`]),
    ...["/", "//", "%2f"].flatMap((slash) => [
      `${foos}${slash}..${slash}foosbar${slash}one`,
      `${foos}bar${slash}one`,
      `${foos}${slash}${slash}one`,
    ]),
    `${foos}/one%00`,
    `${foos}%00bar/one`,
    `${foos};bar/one`,
    `${foos}?fieldSelector=metadata.name%3Done`,
    `${foos}/../../../../namespaces/team/foosbar/one`,
    `/apis/${group}/v1/watch/namespaces/team/foosbar/one`,
    `/apis/${group}/v1/foosbar?watch=1&timeoutSeconds=1`,
  ]

  it.each(paths)("%s", async (path) => {
    expect((await ask("GET", path, "foo-reader")).text).not.toContain(secret)
  })

  it("and lists and watches have what is allowed", async () => {
    expect((await ask("GET", `/apis/${group}/v1/foos`, "foo-reader")).text).toContain('"name":"two"')
    const watch = await http.open({
      method: "GET",
      path: `/apis/${group}/v1/foos?watch=1&resourceVersion=0&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
      headers: { authorization: "Bearer foo-reader" },
    })
    let text = ""
    for await (const piece of watch.body) {
      text += String(piece)
      if (text.includes('"two"') || watch.status !== 200) break
    }
    watch.destroy()
    expect(text).not.toContain(secret)
  })
})

describe("a watch needs the verb watch, however it is asked for (etcd CVE-2026-73499, CVE-2023-32082, CVE-2021-28235)", () => {
  const maps = "/api/v1/namespaces/default/configmaps"
  it.each([
    `${maps}?watch=1`,
    `${maps}?watch=true&resourceVersion=0`,
    `${maps}?watch=1&watch=0`,
    `${maps}?watch`,
    `${maps}?watch=1&fieldSelector=metadata.name%3Dother`,
    `${maps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    "/api/v1/watch/namespaces/default/configmaps",
    "/api/v1/watch/configmaps",
    "/api/v1/watch/namespaces/default/configmaps/other",
    `/apis/${group}/v1/watch/foos`,
    `/apis/${group}/v1/foos?watch=1`,
  ])("%s", async (path) => {
    const { status, text } = await ask("GET", path, "lister")
    expect([status, text.includes(secret)]).toEqual([403, false])
  })

  it("and a list is one", async () => {
    expect((await ask("GET", maps, "lister")).status).toBe(200)
    expect((await ask("GET", "/metrics", "lister")).status).toBe(403)
    for (const path of ["/debug/pprof/", "/debug/flags/v", "/configz", "/logs"])
      expect([path, (await ask("GET", path, "lister")).status]).toEqual([path, 403])
  })
})

describe("acting as a member of system:masters needs a rule for that group (kcp GO-2024-3325)", () => {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
  const asked = (token: string, headers: Readonly<Record<string, string>>) =>
    ask("POST", path, token, { body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }, headers })

  it.each<Readonly<Record<string, string>>>([
    { "impersonate-group": "system:masters" },
    { "impersonate-group": " system:masters" },
    { "impersonate-uid": "1" },
    { "impersonate-extra-scopes": "all" },
  ])("refused: %j", async (headers) => {
    expect(await asked("actor", { "impersonate-user": "jane", ...headers })).toMatchObject({ status: 403 })
  })

  it("refused: beside a group that is allowed, and a service account of the system", async () => {
    const raw = await connectRaw(at)
    onTestFinished(() => void raw.socket.destroy())
    const groups = ["Impersonate-User: jane", "Impersonate-Group: devs", "Impersonate-Group: system:masters"]
    raw.send("GET /api/v1/nodes HTTP/1.1", "Host: a", "Authorization: Bearer actor", ...groups, "", "")
    expect((await raw.answer()).status).toBe(403)
    expect(await asked("actor", { "impersonate-user": "system:serviceaccount:kube-system:admin" })).toMatchObject({ status: 403 })
  })

  it("allowed with the rule, and then with all that members may do", async () => {
    const headers = { "impersonate-user": "jane", "impersonate-group": "system:masters" }
    expect(await asked("root-actor", headers)).toMatchObject({ status: 201, text: expect.stringContaining('"system:masters"') })
    expect((await ask("GET", "/api/v1/nodes", "root-actor", { headers })).status).toBe(200)
    expect((await ask("GET", "/api/v1/nodes", "root-actor")).status).toBe(403)
  })
})

describe("a page of another site cannot write with a browser's certificate (etcd CVE-2018-1098, CVE-2018-1099)", () => {
  const maps = "/api/v1/namespaces/default/configmaps"
  it.each(["text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
    "%s is no object",
    async (type) => {
      const headers = { "content-type": type, origin: "https://evil.example.com" }
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "forged" } }
      expect((await ask("POST", maps, adminToken, { body, headers })).status).toBe(415)
      expect((await ask("GET", `${maps}/forged`, adminToken)).status).toBe(404)
    },
  )

  it("and it may neither read answers nor ask for more", async () => {
    const headers = { origin: "https://evil.example.com", "access-control-request-method": "DELETE" }
    for (const method of ["GET", "OPTIONS"]) {
      const { headers: told } = await http.send({ method, path: maps, headers: { authorization: `Bearer ${adminToken}`, ...headers } })
      expect(Object.keys(told).filter((name) => name.startsWith("access-control"))).toEqual([])
    }
  })
})
