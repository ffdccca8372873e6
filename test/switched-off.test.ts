/** A feature that an operator turns off is off on each path, over both protocols, in documents and in process. */
import { afterEach, describe, expect, it, test, vi } from "vitest"
import { api } from "../generated/index.ts"
import { throttleOf } from "../runtime/audit/log-backend.ts"
import type { User } from "../runtime/base/user.ts"
import { inProcessClient } from "../runtime/client/in-process-client.ts"
import { defaultOptions } from "../runtime/options/load.ts"
import { accountTokens } from "./support/account-keys.ts"
import { createHttpClient, type HttpAnswer, type Protocol } from "./support/http-client.ts"
import { type InProcess, type InProcessOptions, startInProcess } from "./support/in-process.ts"

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

type Ask = (method: string, path: string, sent?: { token?: string | undefined; body?: object; type?: string }) => Promise<HttpAnswer>

async function start(options: Partial<InProcessOptions>, protocol: Protocol = "http2"): Promise<InProcess & { ask: Ask }> {
  const at = await startInProcess({ store: "memory", vendor: "kubernetes", ...options })
  const client = createHttpClient({ protocol, port: at.port, authority: at.authority })
  stops.push(async () => {
    client.close()
    await at.stop()
  })
  const ask: Ask = (method, path, sent = {}) => {
    const token = "token" in sent ? sent.token : at.token
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(sent.body !== undefined && { "content-type": sent.type ?? "application/json" }),
    }
    return client.send({ method, path, headers, ...(sent.body !== undefined && { body: Buffer.from(JSON.stringify(sent.body)) }) })
  }
  return { ...at, ask }
}

const json = ({ body }: HttpAnswer) => JSON.parse(body.toString())

describe("--anonymous-auth", () => {
  const paths = [
    ...[
      "/",
      "/index.html",
      "/api",
      "/apis",
      "/api/v1",
      "/apis/apps",
      "/apis/apps/v1",
      "/version",
      "/version/",
      "/openapi/v2",
      "/openapi/v3",
    ],
    ...["/openapi/v3/api/v1", "/metrics", "/.well-known/openid-configuration", "/openid/v1/jwks", "/.well-known/orch/capabilities"],
    ...[
      "/healthz",
      "/healthz/ping",
      "/healthz/",
      "/livez",
      "/livez?verbose",
      "/livez/ping",
      "/readyz",
      "/readyz/etcd",
      "/readyz?exclude=etcd",
    ],
    ...["/nothing", "/apis/nothing/v1/x", "/api/v1/pods", "/api/v1/nothing", "/api/v1/watch/pods", "/debug/pprof/", "/logs/"],
  ]

  test.each([
    ["own", "http1", ["RBAC"]],
    ["own", "http2", ["RBAC"]],
    ["node", "http2", ["RBAC"]],
    ["own", "http2", ["AlwaysAllow"]],
    ["own", "http2", ["AlwaysDeny"]],
  ] as const)("off refuses a stranger on every path: %s, %s, %j", async (http2, protocol, authorizationModes) => {
    const { ask } = await start({ http2, authorizationModes, anonymousAuth: false, serviceAccounts: accountTokens() }, protocol)
    const open: unknown[] = []
    for (const path of paths)
      for (const method of ["GET", "HEAD", "POST", "OPTIONS"])
        for (const token of [undefined, "wrong"]) {
          const { status } = await ask(method, path, { token })
          if (status !== 401) open.push([method, path, token, status])
        }
    expect(open).toEqual([])
    expect((await ask("GET", "/readyz")).body.toString()).toBe("ok")
  })
})

describe("--runtime-config", () => {
  const off = { "batch/v1/cronjobs": false, "apps/v1": false, "policy/v1": false } as const
  const admin: User = { name: "admin", groups: ["system:masters"], extra: {} }

  test("off takes a version or a resource out of requests, documents and the operations in process", async () => {
    const { ask, server } = await start({ runtimeConfig: off })
    const statusOf = async (method: string, path: string): Promise<number> => (await ask(method, path)).status
    for (const path of ["/apis/apps", "/apis/apps/v1", "/apis/policy", "/openapi/v3/apis/apps/v1", "/openapi/v3/apis/policy/v1"])
      expect([path, await statusOf("GET", path)]).toEqual([path, 404])
    const objects = ["/apis/batch/v1/namespaces/default/cronjobs", "/apis/apps/v1/namespaces/default/deployments"]
    for (const path of [...objects, ...objects.map((one) => `${one}/a`), ...objects.map((one) => `${one}/a/status`)])
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
        expect([method, path, await statusOf(method, path)]).toEqual([method, path, 404])
    for (const path of [
      "/",
      "/apis",
      "/apis/batch/v1",
      "/openapi/v2",
      "/openapi/v3",
      "/openapi/v3/apis/batch/v1",
      "/openapi/v3/apis/batch",
    ])
      expect([path, (await ask("GET", path)).body.toString()]).toEqual([
        path,
        expect.not.stringMatching(/\/cronjobs|"cronjobs|apis\/apps|apis\/policy/),
      ])
    const aggregated = (await ask("GET", "/apis")).body.toString()
    expect(aggregated).not.toContain('"apps"')
    expect(await statusOf("GET", "/apis/batch/v1/jobs")).toBe(200)
    const operations = api(inProcessClient(server.parts, admin))
    await expect(operations.batch.v1.cronjobs.list("default")).rejects.toMatchObject({ code: 404 })
    await expect(operations.batch.v1.jobs.list("default")).resolves.toMatchObject({ items: [] })
  })
})

describe("--feature-gates", () => {
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  const things = "/apis/off.example.com/v1/namespaces/default/things"
  const schemaOf = (maximum: number) => ({
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer", maximum }, colour: { type: "string" } } } },
  })
  const definition = (maximum: number) => ({
    metadata: { name: "things.off.example.com" },
    spec: {
      group: "off.example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schemaOf(maximum) },
          selectableFields: [{ jsonPath: ".spec.colour" }],
        },
      ],
    },
  })

  const thing = { apiVersion: "off.example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: { size: 5, colour: "red" } }

  async function withThing(gates: NonNullable<InProcessOptions["gates"]>): Promise<Ask> {
    const { ask } = await start({ gates })
    expect((await ask("POST", definitions, { body: definition(9) })).status).toBe(201)
    await vi.waitFor(async () => expect((await ask("POST", things, { body: thing })).status).toBe(201), { timeout: 20_000 })
    return ask
  }

  test.each([
    [true, 200],
    [false, 400],
  ])("CustomResourceFieldSelectors=%s", async (gate, status) => {
    const ask = await withThing({ CustomResourceFieldSelectors: gate })
    expect("selectableFields" in json(await ask("GET", `${definitions}/things.off.example.com`)).spec.versions[0]).toBe(gate)
    expect((await ask("GET", `${things}?fieldSelector=spec.colour%3Dred`)).status).toBe(status)
  })

  test.each([
    [true, 200],
    [false, 422],
  ])("CRDValidationRatcheting=%s", async (gate, status) => {
    const ask = await withThing({ CRDValidationRatcheting: gate })
    const body = { spec: { versions: definition(4).spec.versions } }
    expect((await ask("PATCH", `${definitions}/things.off.example.com`, { body, type: "application/merge-patch+json" })).status).toBe(200)
    const tooLarge = { ...thing, metadata: { name: "b" } }
    await vi.waitFor(async () => expect((await ask("POST", `${things}?dryRun=All`, { body: tooLarge })).status).toBe(422), {
      timeout: 20_000,
    })
    const labels = { body: { metadata: { labels: { a: "b" } } }, type: "application/merge-patch+json" }
    expect((await ask("PATCH", `${things}/a`, labels)).status).toBe(status)
  })
})

test.each([
  [true, 200],
  [false, 401],
])("--enable-bootstrap-token-auth=%s", async (bootstrapTokens, status) => {
  const { ask } = await start({ bootstrapTokens })
  await ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "kube-system" } } })
  const stringData = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" }
  const body = { metadata: { name: "bootstrap-token-abcdef" }, type: "bootstrap.kubernetes.io/token", stringData }
  expect((await ask("POST", "/api/v1/namespaces/kube-system/secrets", { body })).status).toBe(201)
  for (const path of ["/api", "/healthz"]) expect((await ask("GET", path, { token: "abcdef.0123456789abcdef" })).status).toBe(status)
})

test.each([
  [0, false],
  [60_000, true],
])("--store-compaction-interval of %d ms", async (compactionIntervalMs, compacts) => {
  const asked = new Set<PropertyKey>()
  const { ask, clock } = await start({
    compactionIntervalMs,
    wrapStore: (store) =>
      new Proxy(store, {
        get(target, name) {
          asked.add(name)
          return Reflect.get(target, name, target)
        },
      }),
  })
  for (const name of ["a", "b", "c", "d"]) {
    await ask("POST", "/api/v1/namespaces", { body: { metadata: { name } } })
    await clock.advance(60_000)
  }
  if (compacts) await vi.waitFor(() => expect(asked).toContain("compact"))
  expect(asked.has("compact")).toBe(compacts)
})

it("--audit-*-batch-throttle-enable=false lets every batch through", () => {
  const limits = { "audit-log-batch-throttle-qps": 1, "audit-log-batch-throttle-burst": 1 }
  const options = { ...defaultOptions(), ...limits }
  expect(throttleOf({ ...options, "audit-log-batch-throttle-enable": true }, "log")).toEqual({ qps: 1, burst: 1 })
  expect(throttleOf({ ...options, "audit-log-batch-throttle-enable": false }, "log")).toBeUndefined()
  expect(throttleOf({ ...options, "audit-webhook-batch-throttle-enable": false }, "webhook")).toBeUndefined()
})
