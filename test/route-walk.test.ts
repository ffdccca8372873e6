/**
 * Every request meets authentication, then audit, then authorization, before anything answers it. The paths are the
 * server's own: its routes, discovery, the index and the OpenAPI documents, with kinds that were added while it runs. A
 * route that is added later is walked too.
 */
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { request as httpsRequest } from "node:https"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import type { Audit } from "../runtime/audit/audit.ts"
import { AuditCounts } from "../runtime/audit/counts.ts"
import { createApp } from "../runtime/app.ts"
import { systemClock } from "../runtime/base/clock.ts"
import { noOpinion } from "../runtime/authz/authorize.ts"
import { type ListenOptions, listen } from "../runtime/http/listen.ts"
import type { ServerParts } from "../runtime/server-parts.ts"
import { inMemoryPair, type ServingPair } from "../runtime/launch/certificates.ts"
import { accountTokens } from "./support/account-keys.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { everyVersion, type InProcess, startInProcess } from "./support/in-process.ts"

const expected = "authentication audit authorization, 403"
type Method = (typeof methods)[number]
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"] as const

let running: InProcess
let pair: ServingPair
let paths: readonly string[]

beforeAll(async () => {
  running = await startInProcess({ store: "memory", vendor: "kubernetes", ...everyVersion, serviceAccounts: accountTokens() })
  pair = await inMemoryPair({ names: ["127.0.0.1"], clock: systemClock })
  await addKind()
  paths = await servedPaths()
}, 120_000)
afterAll(() => running.stop())

/** Asks the server itself, as its administrator. */
async function ask(path: string, body?: object): Promise<Record<string, never>> {
  const client = createHttpClient({ protocol: "http2", port: running.port, authority: running.authority })
  const headers = { authorization: `Bearer ${running.token}`, "content-type": "application/json" }
  const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }
  const { status, body: answer } = await client.send({ method: body === undefined ? "GET" : "POST", path, headers, ...sent })
  client.close()
  if (status >= 300) throw new Error(`${path}: ${status} ${answer}`)
  return JSON.parse(answer.toString())
}

async function addKind(): Promise<void> {
  await ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "steps.walk.example.com" },
    spec: {
      group: "walk.example.com",
      scope: "Namespaced",
      names: { plural: "steps", kind: "Step" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
        },
      ],
    },
  })
  const isServed = (): boolean => running.server.parts.kinds.hasGroup("walk.example.com")
  while (!isServed()) await new Promise((resolve) => setImmediate(resolve))
}

interface DiscoveryDocument {
  readonly versions?: readonly string[]
  readonly groups?: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[]
  readonly resources?: readonly { readonly name: string; readonly namespaced: boolean }[]
  readonly paths?: readonly string[] | Readonly<Record<string, { readonly serverRelativeURL?: string }>>
}

/** Every path that the server names. */
async function servedPaths(): Promise<readonly string[]> {
  const core: DiscoveryDocument = await ask("/api")
  const groups: DiscoveryDocument = await ask("/apis")
  const index: DiscoveryDocument = await ask("/")
  const openApi: DiscoveryDocument = await ask("/openapi/v3")
  const roots = [
    ...(core.versions ?? []).map((version) => `/api/${version}`),
    ...(groups.groups ?? []).flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`)),
  ]
  const found = new Set<string>([...listOf(index.paths), ...roots])
  for (const root of roots) {
    const { resources = [] }: DiscoveryDocument = await ask(root)
    for (const resource of resources) for (const path of pathsOf(root, resource)) found.add(path)
    const document = `/openapi/v3${root}`
    found.add(document)
    const documented: DiscoveryDocument = await ask(document)
    for (const path of Object.keys(documented.paths ?? {})) found.add(path.replaceAll(/\{[a-z]+\}/g, "x"))
  }
  for (const { serverRelativeURL } of Object.values(openApi.paths ?? {})) if (serverRelativeURL !== undefined) found.add(serverRelativeURL)
  return [...found]
}

function listOf(paths: DiscoveryDocument["paths"]): readonly string[] {
  if (!Array.isArray(paths)) throw new Error("the index has no list")
  return paths
}

function pathsOf(root: string, { name, namespaced }: { readonly name: string; readonly namespaced: boolean }): readonly string[] {
  const [resource = "", subresource] = name.split("/")
  const place = namespaced ? `/namespaces/default/${resource}` : `/${resource}`
  if (subresource !== undefined) return [`${root}${place}/x/${subresource}`, `${root}${place}/x/${subresource}/tail`]
  return [`${root}/${resource}`, `${root}${place}`, `${root}${place}/x`, `${root}/watch${place}`, `${root}/watch${place}/x`]
}

/** Example paths for each pattern of the application's routes. Its middleware is at all paths. */
function routedPaths(routes: readonly { readonly path: string }[]): readonly string[] {
  return routes.flatMap(({ path }) => {
    if (path === "/*") return []
    return path.endsWith("/*") ? [path.slice(0, -2), `${path.slice(0, -2)}/`, `${path.slice(0, -2)}/x`] : [path]
  })
}

/** Paths without a meaning, or with the same meaning as another one. */
const oddPaths = [
  ...["/", "//", "/nothing", "/api/nothing", "/apis/nothing.example/v1/things", "/api/v1/namespaces/x/", "//api/v1/pods", "/api//v1/pods"],
  ...["/%61pi/v1/secrets", "/api%2Fv1%2Fsecrets", "/api/v1/../v1/secrets", "/API/v1/secrets", "/api/v1/secrets;x", "/api/v1/secrets%00"],
  ...["/debug/pprof/", "/logs/", "/swagger.json", "/metrics/", "/metrics/x", "/version/x", "/healthz/", "/livez/x", "/openapi", "/ui"],
  ...["/api/v1/namespaces/default/pods/x%0A", "/index.html", "/.well-known/", "/openid/v1/jwks/", "/api/v1/watch", "/?watch=1"],
]

interface Walked {
  readonly app: ListenOptions["app"]
  readonly trace: string[]
  readonly paths: readonly string[]
}

/** The application of the running server, with its three stations recorded; nothing is permitted. */
function recorded(change: (parts: ServerParts) => ServerParts = (parts) => parts): Walked {
  const trace: string[] = []
  const { parts } = running.server
  const { app, routes } = createApp(
    change({
      ...parts,
      audit: recordedAudit(trace),
      options: { ...parts.options, "authorization-mode": ["RBAC"] },
      authenticators: [
        () => {
          trace.push("authentication")
          return { user: { name: "walker", groups: [], extra: {} } }
        },
      ],
      authorizers: [
        () => {
          trace.push("authorization")
          return noOpinion
        },
      ],
    }),
  )
  return { app, trace, paths: [...new Set([...paths, ...routedPaths(routes), ...oddPaths])] }
}

function recordedAudit(trace: string[]): Audit {
  const nothing = (): void => undefined
  const reports = { sent: nothing, sentJson: nothing, answeredStatus: nothing, answered: nothing, answeredTooLarge: nothing }
  const wants = { keepsRequest: false, keepsResponse: false, omitsManagedFields: false }
  const authenticated = (): undefined => void trace.push("audit")
  return {
    counts: new AuditCounts(),
    begin(request) {
      request.audit = { ...wants, ...reports, authenticated, started: nothing, panicked: nothing, annotate: nothing }
    },
    beforeWrite: nothing,
    stop: async () => undefined,
  }
}

async function listening({ app }: Walked): Promise<{ port: number; clients: readonly HttpClient[] }> {
  const listener = await listen({ app, host: "127.0.0.1", port: 0, tls: pair })
  const clients = (["http1", "http2"] as const).map((protocol) =>
    createHttpClient({ protocol, port: listener.port, authority: pair.authority }),
  )
  onTestFinished(async () => {
    for (const client of clients) client.close()
    await listener.close({ graceMs: 0, clock: systemClock })
  })
  return { port: listener.port, clients }
}

/** Lists the requests that did not meet all stations in their order, with the stations that they met. */
async function detours(walked: Walked, methodsOf: (path: string, index: number) => readonly Method[]): Promise<string[]> {
  const { clients } = await listening(walked)
  const { trace } = walked
  const found: string[] = []
  for (const [index, path] of walked.paths.entries()) {
    for (const [turn, method] of methodsOf(path, index).entries()) {
      const client = clients[(index + turn) % 2]
      if (client === undefined) throw new Error("no client")
      trace.length = 0
      const { status } = await client.send({ method, path, headers: {} })
      const met = `${trace.join(" ")}, ${status}`
      if (met !== expected) found.push(`${method} ${path} over ${client.protocol}: ${met}`)
    }
  }
  return found
}

/** Every method where a handler may check the method; two of them in turn for objects, which share one route. */
function methodsAt(path: string, index: number): readonly Method[] {
  return /^\/apis?\/.*\/.*\//.test(path) ? ["GET", methods[1 + (index % (methods.length - 1))] ?? "POST"] : methods
}

it("knows the server's paths", () => {
  const { paths: all } = recorded()
  expect(all.length).toBeGreaterThan(800)
  expect(all).toEqual(
    expect.arrayContaining([
      ...["/", "/api", "/apis", "/version", "/metrics", "/healthz", "/readyz/ping", "/openapi/v2", "/openapi/v3/apis/apps/v1"],
      ...["/.well-known/openid-configuration", "/openid/v1/jwks", "/api/v1/namespaces/default/pods/x/exec", "/api/v1/watch/nodes/x"],
      ...["/apis/walk.example.com/v1/namespaces/default/steps/x/scale", "/openapi/v3/apis/walk.example.com/v1"],
    ]),
  )
})

it("all paths, with all methods, over both protocols", { timeout: 300_000 }, async () => {
  expect(await detours(recorded(), methodsAt)).toEqual([])
})

/** A watch of one collection of each group and version. */
function watchesOf(all: readonly string[]): readonly string[] {
  const watches = new Map<string, string>()
  for (const path of all) {
    const [, root = ""] = /^(\/apis?\/.*\/?v[a-z0-9]+)\/[a-z]+$/.exec(path) ?? []
    if (root !== "") watches.set(root, `${path}?watch=1`)
  }
  return [...watches.values()]
}

it("requests for another protocol, and watches over WebSocket", { timeout: 300_000 }, async () => {
  const walked = recorded()
  const { port } = await listening(walked)
  const met = async (path: string, upgrade: string): Promise<string> => {
    walked.trace.length = 0
    const headers = { connection: "Upgrade", upgrade, "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" }
    const outgoing = httpsRequest({ host: "127.0.0.1", port, ca: pair.authority, agent: false, path, headers })
    const answered = once(outgoing, "response")
    outgoing.end()
    const [answer] = await answered
    answer.resume()
    await once(answer, "close")
    return `${walked.trace.join(" ")}, ${answer.statusCode}`
  }
  const subresources = walked.paths.filter((path) => /^\/apis?\/.*\/x\/[a-z]+$/.test(path))
  const tunnels = subresources.filter((path) => /\/(exec|attach|portforward|proxy|log)$/.test(path))
  const watches = watchesOf(walked.paths)
  expect(tunnels).toEqual(
    expect.arrayContaining(["exec", "attach", "portforward", "proxy", "log"].map((name) => `/api/v1/namespaces/default/pods/x/${name}`)),
  )
  expect(watches).toContain("/apis/walk.example.com/v1/steps?watch=1")
  const found: string[] = []
  for (const [protocol, some] of [
    ["websocket", [...tunnels, ...watches, "/", "/metrics", "/apis", "/nothing"]],
    ["SPDY/3.1", tunnels],
    ["h2c", ["/", "/api/v1/secrets", "/nothing"]],
  ] as const) {
    for (const path of some) {
      const stations = await met(path, protocol)
      if (stations !== expected) found.push(`${protocol} ${path}: ${stations}`)
    }
  }
  expect(found).toEqual([])
})

it("finds what goes around a station, or meets it out of order", async () => {
  const few = (walked: Walked): Walked => ({ ...walked, paths: ["/api/v1/pods", "/planted"] })
  const whole = few(recorded())
  const planted: ListenOptions["app"] = (incoming, outgoing) => {
    if (incoming.url === "/planted") outgoing.end(Buffer.from("!"))
    else whole.app(incoming, outgoing)
  }
  expect(await detours({ ...whole, app: planted }, () => ["GET"])).toEqual(["GET /planted over http2: , 200"])
  const withoutAudit = few(recorded(({ audit: _audit, ...parts }) => parts))
  expect(await detours(withoutAudit, () => ["GET"])).toHaveLength(2)
  const backwards = few(
    recorded((parts) => ({ ...parts, authenticators: parts.authorizers as never, authorizers: parts.authenticators as never })),
  ) // Each records its own name.
  expect((await detours(backwards, () => ["GET"])).length).toBe(2)
})

it("no other port is opened", () => {
  const root = join(import.meta.dirname, "../runtime")
  const opening = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .filter((path) => /\.listen\(|create(Secure)?Server\(/.test(readFileSync(join(root, path), "utf8")))
  expect(opening.toSorted()).toEqual([
    // The secure port.
    "http/listen.ts",
    // The `listen` of a class that serves no port.
    "http/node-http2/session.ts",
    // A server that never listens, at which node's behaviour is checked.
    "http/node-internals.ts",
    // A socket of the file system that answers nothing: its owner has the store open.
    "storage/lmdb/process-lock.ts",
    // A server that never listens, whose parser reads bytes that precede TLS.
    "tls/intercepted-bytes.ts",
  ])
})
