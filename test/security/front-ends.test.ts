/**
 * Every path passes authentication, audit and authorization, in this order, over HTTP/1.1 and HTTP/2, as answers and
 * the audit log show: paths of kinds that existed at the start and of one that was added later, in odd forms, and paths
 * that ask for another protocol.
 */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { systemClock } from "../../runtime/base/clock.ts"
import { systemRandom } from "../../runtime/base/random.ts"
import { launch, type Launched } from "../../runtime/launch/launch.ts"
import { silentLog } from "../../runtime/launch/logging.ts"
import { defaultOptions } from "../../runtime/options/load.ts"
import { createHttpClient, type HttpClient } from "../support/http-client.ts"
import { connectRaw } from "../support/raw-connection.ts"
import { testDirectory } from "./test-directory.ts"

const files = testDirectory()
const auditLog = files.path("audit.log")
const root = "root-token"
const jane = "jane-token"
const group = "walk.example.com"

let launched: Launched
let clients: Readonly<Record<"http1" | "http2", HttpClient>>

beforeAll(async () => {
  launched = await launch({
    options: {
      ...defaultOptions(),
      ...{ store: "memory", vendor: "kubernetes", "bind-address": "127.0.0.1", "anonymous-auth": false },
      // Each refusal would end the connection that the next request is to use.
      "feature-gates": { ...defaultOptions()["feature-gates"], UnauthenticatedHTTP2DOSMitigation: false },
      "authorization-mode": ["ABAC"],
      // Only members of system:masters may do something; other users may not even look at health.
      "authorization-policy-file": files.write("policies.jsonl", "# none\n"),
      "token-auth-file": files.write("tokens.csv", `${root},root,1,system:masters\n${jane},jane,2\n`),
      "audit-policy-file": files.write("policy.yaml", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"),
      "audit-log-path": auditLog,
    },
    clock: systemClock,
    random: systemRandom,
    log: silentLog(),
    transient: true,
    port: 0,
  })
  const to = { port: launched.server.port, authority: launched.authority }
  clients = { http1: createHttpClient({ protocol: "http1", ...to }), http2: createHttpClient({ protocol: "http2", ...to }) }
  await addKind()
})
afterAll(async () => {
  for (const client of Object.values(clients ?? {})) client.close()
  await launched?.server.stop()
  files.remove()
})

interface Asked {
  readonly method: string
  readonly path: string
}

/** Adds a kind while the server runs. */
async function addKind(): Promise<void> {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
  const subresources = { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } }
  const names = { plural: "walkers", kind: "Walker" }
  const spec = { group, scope: "Namespaced", names, versions: [{ name: "v1", served: true, storage: true, schema, subresources }] }
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  const body = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: `walkers.${group}` }, spec }
  const headers = { authorization: `Bearer ${root}`, "content-type": "application/json" }
  expect(await clients.http1.send({ method: "POST", path, headers, body: Buffer.from(JSON.stringify(body)) })).toMatchObject({
    status: 201,
  })
  while (!(await json<{ groups: readonly { name: string }[] }>("/apis")).groups.some(({ name }) => name === group))
    await new Promise((resolve) => setImmediate(resolve))
}

async function json<T>(path: string): Promise<T> {
  const { body } = await clients.http1.send({
    method: "GET",
    path,
    headers: { authorization: `Bearer ${root}`, accept: "application/json" },
  })
  return JSON.parse(body.toString()) as T // The documents of discovery.
}

interface Resource {
  readonly name: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

const methods: Readonly<Record<string, string>> = { get: "GET", create: "POST", update: "PUT", patch: "PATCH", delete: "DELETE" }

/** Each verb of each resource that discovery names; and its older and odder paths. */
async function resourcePaths(): Promise<readonly Asked[]> {
  const { groups } = await json<{ groups: readonly { versions: readonly { groupVersion: string }[] }[] }>("/apis")
  const bases = ["/api/v1", ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`))]
  const all = await Promise.all(
    bases.map(async (base) => {
      const { resources } = await json<{ resources: readonly Resource[] }>(base)
      return resources.flatMap((resource) => pathsOf(base, resource))
    }),
  )
  return all.flat()
}

function pathsOf(base: string, { name, namespaced, verbs }: Resource): readonly Asked[] {
  const [plural = "", subresource] = name.split("/")
  const place = namespaced ? "/namespaces/default" : ""
  const collection = `${base}${place}/${plural}`
  const object = `${collection}/x${subresource === undefined ? "" : `/${subresource}`}`
  const asked = verbs.flatMap((verb): Asked[] => {
    if (verb === "list") return [{ method: "GET", path: collection }]
    if (verb === "deletecollection") return [{ method: "DELETE", path: collection }]
    if (verb === "watch") {
      const watched = `${base}/watch${place}/${plural}`
      return [`${collection}?watch=1`, watched, `${watched}/x`].map((path) => ({ method: "GET", path }))
    }
    const isOfCollection = verb === "create" && subresource === undefined
    return [{ method: methods[verb] ?? "GET", path: isOfCollection ? collection : object }]
  })
  const deeper = subresource === "proxy" ? [{ method: "GET", path: `${object}/deep/path?q=1` }] : []
  return [...asked, ...deeper, { method: "HEAD", path: collection }, { method: "OPTIONS", path: object }]
}

/** The roles of a new server let a client without a credential read these; --anonymous-auth=false does not. */
const publicPaths = ["/healthz", "/livez", "/readyz", "/healthz/ping", "/livez/ping", "/readyz/ping", "/version", "/version/"]

const otherPaths = [
  ...["/", "/api", "/api/", "/apis", "/apis/", "/apis/apps", "/apis/apps/v1", "/api/v1", `/apis/${group}`, `/apis/${group}/v1`],
  ...["/metrics", "/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1", `/openapi/v3/apis/${group}/v1`, "/swagger.json"],
  ...[
    "/.well-known/openid-configuration",
    "/openid/v1/jwks",
    "/.well-known/orch/capabilities",
    "/index.html",
    "/logs",
    "/debug/pprof/",
    "/configz",
    "/none",
    "/api/v9/none",
  ],
  ...[
    "/%61pi/v1/secrets",
    "/api%2fv1%2fsecrets",
    "//api/v1/secrets",
    "/api//v1/secrets",
    "/api/v1/secrets/",
    "/api/v1/./secrets",
    "/x/../api/v1/secrets",
  ],
  ...[
    "/API/v1/secrets",
    "/api/v1/secrets%0a",
    "/api/v1/secrets;x",
    "/api/v1/secrets?",
    "/api/v1/proxy/nodes/x",
    "/apis/none/v1/x",
    "/version/x",
    "/healthz/../metrics",
  ],
]

interface Event {
  readonly auditID: string
  readonly stage: string
  readonly user?: { readonly username?: string }
  readonly responseStatus?: { readonly code?: number }
  readonly annotations?: Readonly<Record<string, string>>
}

interface Walked {
  readonly asked: Asked
  readonly status: number
  readonly events: readonly Event[]
}

/** The status and the events of audit of each path. */
async function walk(asked: readonly Asked[], token: string | undefined, protocol: "http1" | "http2"): Promise<readonly Walked[]> {
  const idOf = (index: number): string => `${protocol}-${token}-${index}`
  const statuses = await Promise.all(
    asked.map(async ({ method, path }, index) => {
      const headers = { "audit-id": idOf(index), ...(token !== undefined && { authorization: `Bearer ${token}` }) }
      return (await clients[protocol].send({ method, path, headers })).status
    }),
  )
  for (;;) {
    const events = new Map<string, Event[]>()
    for (const event of eventsIn(readFileSync(auditLog, "utf8"))) events.set(event.auditID, [...(events.get(event.auditID) ?? []), event])
    const walked = asked.map((one, index) => ({ asked: one, status: statuses[index] ?? 0, events: events.get(idOf(index)) ?? [] }))
    if (walked.every((one) => one.events.some(({ stage }) => stage !== "RequestReceived"))) return walked
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The last line may not be whole yet. */
function eventsIn(text: string): readonly Event[] {
  const lines = text.split("\n").slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

/** As many as take a second, since all of them pass the same filters. */
function someOf(paths: readonly Asked[]): readonly Asked[] {
  return paths.filter((_one, index) => index % 7 === 0)
}

describe.each(["http2", "http1"] as const)("each path over %s (kcp CVE-2025-29922, GO-2025-3985, CVE-2026-39429)", (protocol) => {
  let paths: readonly Asked[]
  beforeAll(async () => {
    paths = [...(await resourcePaths()), ...[...publicPaths, ...otherPaths].map((path) => ({ method: "GET", path }))]
    paths = someOf(paths)
  })

  it("a request without a credential is told nothing but that, and recorded without a user", async () => {
    const wrong: unknown[] = []
    for (const token of [undefined, "unknown-token"])
      for (const { asked, status, events } of await walk(paths, token, protocol)) {
        const users = events.map(({ stage, user }) => `${stage} ${user?.username ?? ""}`)
        const isRight = status === 401 && users.join() === "ResponseStarted "
        if (!isRight || events.some(({ annotations }) => annotations !== undefined)) wrong.push([asked, token, status, events])
      }
    expect(wrong.slice(0, 3)).toEqual([])
  })

  it("a user who may do nothing is refused after being recorded, on each path", async () => {
    const wrong: unknown[] = []
    for (const { asked, status, events } of await walk(paths, jane, protocol)) {
      // A watch also has an event when its head is sent.
      const stages = events.filter(({ stage }) => stage !== "ResponseStarted")
      const seen = stages.map(({ stage, user, responseStatus }) => `${stage} ${user?.username} ${responseStatus?.code ?? ""}`)
      const decision = events.at(-1)?.annotations?.["authorization.k8s.io/decision"]
      const isRight = status === 403 && decision === "forbid" && seen.join() === "RequestReceived jane ,ResponseComplete jane 403"
      if (!isRight) wrong.push([asked, status, seen, decision])
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(paths.length).toBeGreaterThan(80)
  })
})

it("requests that ask for another protocol are refused before it changes", async () => {
  const pod = "/api/v1/namespaces/default/pods/x"
  const websocket = [
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ]
  const spdy = ["Connection: Upgrade", "Upgrade: SPDY/3.1", "X-Stream-Protocol-Version: v4.channel.k8s.io"]
  const paths = [
    `${pod}/exec?command=ls`,
    `${pod}/attach`,
    `${pod}/portforward`,
    `${pod}/proxy/`,
    `${pod}/log`,
    "/api/v1/pods?watch=1",
    `/apis/${group}/v1/walkers?watch=1`,
  ]
  for (const path of [...paths, "/none", "/metrics"])
    for (const upgrade of [websocket, spdy, ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"]])
      for (const [credential, status] of [
        ["X-None: 1", 401],
        ["Authorization: Bearer x", 401],
        [`Authorization: Bearer ${jane}`, 403],
      ] as const) {
        const raw = await connectRaw({ port: launched.server.port, authority: launched.authority })
        raw.send(`GET ${path} HTTP/1.1`, "Host: a", credential, ...upgrade, "", "")
        expect([path, upgrade[1], credential, (await raw.answer()).status]).toEqual([path, upgrade[1], credential, status])
        raw.socket.destroy()
      }
})
