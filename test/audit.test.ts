/** Audit over whole servers: the content of events, secrets that are never in them, and the handling of faults. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { signingKeyIn } from "../runtime/authn/service-accounts/keys.ts"
import type { JsonObject } from "../runtime/base/json.ts"
import type { Filter, LibraryOptions } from "../runtime/library.ts"
import { startServer } from "../runtime/library.ts"
import { privateKeyPem, tokenOfSecret } from "./support/account-keys.ts"
import { createHttpClient, type HttpAnswer, type HttpClient, type Protocol } from "./support/http-client.ts"

interface Event extends JsonObject {
  readonly auditID: string
  readonly level: string
  readonly stage: string
  readonly objectRef?: JsonObject
  readonly responseStatus?: JsonObject
  readonly requestObject?: JsonObject
  readonly responseObject?: JsonObject
  readonly annotations?: JsonObject
}

interface Audited {
  readonly client: HttpClient
  readonly token: string
  readonly log: string
  /** Sends a request as the administrator. */
  send(method: string, path: string, how?: { body?: string | object; type?: string; headers?: Record<string, string> }): Promise<HttpAnswer>
  /** The events of a request, in order, once the last one is logged. */
  eventsOf(auditId: string, last?: string): Promise<readonly Event[]>
  stop(): Promise<void>
}

async function startAudited(rules: string, options: LibraryOptions = {}, protocol: Protocol = "http1"): Promise<Audited> {
  const folder = mkdtempSync(join(tmpdir(), "audit-"))
  const policy = join(folder, "policy.yaml")
  writeFileSync(policy, `apiVersion: audit.k8s.io/v1\nkind: Policy\n${rules}`)
  const log = options["audit-log-path"] ?? join(folder, "logs/audit.log")
  const server = await startServer({ vendor: "kubernetes", "audit-policy-file": policy, "audit-log-path": log, ...options })
  const client = createHttpClient({ protocol, port: Number(new URL(server.url).port), authority: server.caPem })
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    client.close()
    stopped ??= server.stop()
    await stopped
  }
  onTestFinished(async () => {
    await stop()
    rmSync(folder, { recursive: true })
  })
  return {
    client,
    token: server.token,
    log,
    stop,
    send: (method, path, { body, type = "application/json", headers = {} } = {}) =>
      client.send({
        method,
        path,
        headers: {
          authorization: `Bearer ${server.token}`,
          "user-agent": "tester/1",
          ...(body !== undefined && { "content-type": type }),
          ...headers,
        },
        ...(body !== undefined && { body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)) }),
      }),
    async eventsOf(auditId, last = "ResponseComplete") {
      for (;;) {
        const events = eventsIn(log).filter((event) => event.auditID === auditId)
        if (events.some(({ stage }) => stage === last)) return events
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

function eventsIn(log: string): readonly Event[] {
  const lines = readFileSync(log, "utf8").split("\n")
  expect(lines.pop()).toBe("")
  return lines.map((line) => JSON.parse(line))
}

const maps = "/api/v1/namespaces/default/configmaps"
const secrets = "/api/v1/namespaces/default/secrets"
const map = (name: string, data: object = { k: "v" }): object => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data })
const id = (name: string): { headers: Record<string, string> } => ({ headers: { "audit-id": name } })

describe("at level RequestResponse", () => {
  it("events have the decoded body and the object of the answer in whatever form the client asked for", async () => {
    const { send, eventsOf } = await startAudited("omitStages: [RequestReceived]\nrules: [{level: RequestResponse}]")
    const created = await send("POST", `${maps}?fieldManager=m`, { body: map("a"), ...id("create") })
    expect(created.headers["audit-id"]).toBe("create")
    const [create] = await eventsOf("create")
    expect(create).toMatchObject({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      verb: "create",
      requestURI: `${maps}?fieldManager=m`,
      user: { username: "admin", groups: ["system:masters", "system:authenticated"] },
      sourceIPs: ["127.0.0.1"],
      userAgent: "tester/1",
      objectRef: { resource: "configmaps", namespace: "default", name: "a", apiVersion: "v1" },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: { metadata: { name: "a", creationTimestamp: null }, data: { k: "v" } },
      annotations: { "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" },
    })
    expect(create?.responseObject).toEqual(JSON.parse(created.body.toString()))
    const json = JSON.parse((await send("GET", maps)).body.toString())
    for (const accept of ["application/vnd.kubernetes.protobuf", "application/yaml", "application/json"]) {
      await send("GET", `${maps}/a?pretty=true`, { headers: { accept, "audit-id": `get ${accept}` } })
      expect((await eventsOf(`get ${accept}`))[0]?.responseObject).toEqual(create?.responseObject)
      await send("GET", maps, { headers: { accept, "accept-encoding": "gzip", "audit-id": `list ${accept}` } })
      expect((await eventsOf(`list ${accept}`))[0]?.responseObject).toEqual(json)
    }
    const as = "application/json;as=Table;v=v1;g=meta.k8s.io"
    await send("GET", maps, { headers: { accept: as, "audit-id": "table" } })
    expect((await eventsOf("table"))[0]?.responseObject).toMatchObject({ kind: "Table", rows: [{ cells: ["a", 1, expect.anything()] }] })
  })

  it("events of discovery have its documents as JSON, in whatever form the client asked for", async () => {
    const { send, eventsOf } = await startAudited("omitStages: [RequestReceived]\nrules: [{level: RequestResponse}]")
    const aggregated = ";as=APIGroupDiscoveryList;v=v2beta1;g=apidiscovery.k8s.io"
    for (const [path, form] of [
      ["/api", ""],
      ["/apis", ""],
      ["/apis/apps", ""],
      ["/apis/apps/v1", ""],
      ["/api", aggregated],
      ["/apis", aggregated],
    ] as const) {
      const served = JSON.parse((await send("GET", path, { headers: { accept: `application/json${form}` } })).body.toString())
      for (const media of ["application/json", "application/vnd.kubernetes.protobuf"]) {
        const headers = { accept: media + form, "audit-id": `${path} ${media}${form}` }
        expect((await send("GET", `${path}?pretty=true`, { headers })).status).toBe(200)
        const [event] = await eventsOf(headers["audit-id"])
        expect(event).toMatchObject({ responseStatus: { metadata: {}, code: 200 } })
        expect(event?.responseObject).toEqual(served)
      }
    }
    await send("GET", "/version", id("version"))
    expect((await eventsOf("version"))[0]).not.toHaveProperty("responseObject")
  })

  it("a patch is on one line as it was sent, an applied configuration as JSON, and what is no JSON is left out", async () => {
    const { send, eventsOf } = await startAudited("omitStages: [RequestReceived]\nrules: [{level: RequestResponse}]")
    await send("POST", maps, { body: map("a") })
    const body = '{\n "data": {\r\n"x": "a\\nb", "n": null}}'
    await send("PATCH", `${maps}/a`, { body, type: "application/merge-patch+json", ...id("merge") })
    expect((await eventsOf("merge"))[0]?.requestObject).toEqual(JSON.parse(body))
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {k: 'v'}\n"
    await send("PATCH", `${maps}/b?fieldManager=f`, { body: yaml, type: "application/apply-patch+yaml", ...id("apply") })
    expect((await eventsOf("apply"))[0]).toMatchObject({
      requestObject: { kind: "ConfigMap", data: { k: "v" } },
      responseStatus: { code: 201 },
    })
    const forged = '{\n{"kind":"Event","auditID":"forged"}\n'
    for (const type of ["application/merge-patch+json", "application/json-patch+json", "application/apply-patch+yaml"]) {
      await send("PATCH", `${maps}/a?fieldManager=f`, { body: forged, type, ...id(type) })
      expect((await eventsOf(type))[0]).toMatchObject({ responseStatus: { code: 400, reason: "BadRequest", status: "Failure" } })
      expect((await eventsOf(type))[0]).not.toHaveProperty("requestObject")
    }
    await send("DELETE", `${maps}/a`, {
      body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" },
      ...id("delete"),
    })
    expect((await eventsOf("delete"))[0]).toMatchObject({
      requestObject: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/__internal", propagationPolicy: "Background" },
      responseStatus: { code: 200, status: "Success", details: { name: "a", kind: "configmaps" } },
      responseObject: { kind: "Status", apiVersion: "v1", status: "Success" },
    })
  })

  it("managed fields are left out of objects, lists and tables", async () => {
    const { send, eventsOf, log } = await startAudited(
      "omitStages: [RequestReceived]\nomitManagedFields: true\nrules: [{level: RequestResponse}]",
    )
    const sent = { ...map("a"), metadata: { name: "a", managedFields: [] } }
    await send("POST", `${maps}?fieldManager=m`, { body: sent, ...id("create") })
    await send("GET", maps, id("list"))
    const as = "application/json;as=Table;v=v1;g=meta.k8s.io"
    await send("GET", `${maps}?includeObject=Object`, { headers: { accept: as, "audit-id": "table" } })
    expect((await eventsOf("create"))[0]?.requestObject).toEqual({ ...map("a"), metadata: { name: "a", creationTimestamp: null } })
    expect((await eventsOf("list"))[0]?.responseObject).toMatchObject({ items: [{ metadata: { name: "a" }, data: { k: "v" } }] })
    expect((await eventsOf("table"))[0]?.responseObject).toMatchObject({ rows: [{ object: { metadata: { name: "a" } } }] })
    expect(readFileSync(log, "utf8")).not.toContain("managedFields")
    expect((await send("GET", `${maps}/a`)).body.toString()).toContain("managedFields")
  })

  it("a list that is larger than an event may be is left out, and the event says so", async () => {
    const { send, eventsOf } = await startAudited("omitStages: [RequestReceived]\nrules: [{level: RequestResponse, verbs: [list]}]")
    const data = { k: "x".repeat(900_000) }
    await Promise.all(Array.from({ length: 10 }, (_, index) => send("POST", maps, { body: map(`m${index}`, data) })))
    expect((await send("GET", maps, id("list"))).status).toBe(200)
    const [event] = await eventsOf("list")
    expect(event).toMatchObject({ responseStatus: { code: 200 }, annotations: { "audit.k8s.io/truncated": "true" } })
    expect(event).not.toHaveProperty("responseObject")
  })
})

it("no text of a secret is in its events below the levels that record it", async () => {
  const { send, log, stop } = await startAudited("rules: [{level: Metadata}]")
  const canary = "canary-7c1f"
  const data = { k: Buffer.from(canary).toString("base64") }
  const secret = (name: string, more: object = {}): object => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    data,
    stringData: { p: canary },
    ...more,
  })
  const statuses = [
    await send("POST", secrets, { body: secret("a") }),
    await send("POST", secrets, { body: secret("a") }),
    await send("POST", `${secrets}?fieldValidation=Strict`, { body: secret("b", { frob: canary }) }),
    await send("PUT", `${secrets}/a`, { body: secret("a") }),
    await send("PATCH", `${secrets}/a`, { body: { data }, type: "application/merge-patch+json" }),
    await send("PATCH", `${secrets}/a?fieldManager=f&force=true`, { body: secret("a"), type: "application/apply-patch+yaml" }),
    await send("GET", `${secrets}/a`),
    await send("GET", secrets),
    await send("GET", `${secrets}?watch=1&timeoutSeconds=1`),
    await send("DELETE", secrets),
  ].map(({ status }) => status)
  expect(statuses).toEqual([201, 409, 400, 200, 200, 200, 200, 200, 200, 200])
  await stop()
  const text = readFileSync(log, "utf8")
  expect(text.split("\n").length).toBeGreaterThan(2 * statuses.length)
  expect(text).not.toContain(canary)
  expect(text).not.toContain(data.k)
  expect(text).not.toContain("Bearer")
  expect(statSync(log).mode & 0o777).toBe(0o600)
})

describe.each([
  { level: "Metadata", hasRequest: false, hasAnswer: false },
  { level: "Request", hasRequest: true, hasAnswer: false },
  { level: "RequestResponse", hasRequest: true, hasAnswer: true },
])("at level $level", ({ level, hasRequest, hasAnswer }) => {
  it("a refusal is in the responseStatus, and only where answers are recorded in the responseObject", async () => {
    const { client, send, eventsOf } = await startAudited(`omitStages: [RequestReceived]\nrules: [{level: ${level}}]`)
    const asStranger = { authorization: "Bearer none", "audit-id": "401" }
    expect((await client.send({ method: "GET", path: maps, headers: asStranger })).status).toBe(401)
    await send("POST", maps, { body: map("a") })
    const invalid = { ...map("b"), metadata: { name: "b", labels: { a: "!" } } }
    for (const [code, method, path, body] of [
      [400, "POST", maps, { ...map("b"), kind: "Secret" }],
      [404, "GET", `${maps}/none`, undefined],
      [405, "POST", "/api/v1/nodes/n/status", map("b")],
      [409, "POST", maps, map("a")],
      [415, "POST", maps, "text"],
      [422, "POST", maps, invalid],
    ] as const) {
      const headers = { "audit-id": String(code), ...(code === 415 && { "content-type": "text/plain" }) }
      expect((await send(method, path, { ...(body !== undefined && { body }), headers })).status).toBe(code)
    }
    for (const code of [400, 401, 404, 405, 409, 415, 422]) {
      const [event] = await eventsOf(String(code), code === 401 ? "ResponseStarted" : "ResponseComplete")
      expect([code, event?.responseStatus]).toMatchObject([code, { code, status: "Failure", message: expect.stringMatching(/./) }])
      expect([code, event?.responseObject]).toEqual([code, hasAnswer ? expect.objectContaining({ kind: "Status", code }) : undefined])
    }
    for (const code of [409, 422]) expect((await eventsOf(String(code)))[0]?.requestObject !== undefined).toBe(hasRequest)
  })
})

describe("stages", () => {
  it("a watch has a stage more, and each names the time it was reached", async () => {
    const { send, eventsOf } = await startAudited("rules: [{level: RequestResponse}]")
    await send("GET", `${maps}?watch=1&timeoutSeconds=1`, id("watch"))
    const events = await eventsOf("watch")
    expect(events.map(({ stage, responseStatus }) => [stage, responseStatus?.code])).toEqual([
      ["RequestReceived", undefined],
      ["ResponseStarted", 200],
      ["ResponseComplete", 200],
    ])
    const times = events.map(({ stageTimestamp }) => String(stageTimestamp))
    expect(times).toEqual(times.toSorted())
    expect(Object.keys(events[2]?.annotations ?? {})).toEqual(["authorization.k8s.io/decision", "authorization.k8s.io/reason"])
  })

  it("a fault of the server is a Panic, without the text of the error", async () => {
    const failing: Filter = ({ env }, next) => {
      if (env.request.info.name === "broken") throw new Error("canary-of-an-error")
      return next()
    }
    const { send, eventsOf, log } = await startAudited("rules: [{level: RequestResponse}]", { middleware: [failing] })
    expect((await send("GET", `${maps}/broken`, id("broken"))).status).toBe(500)
    const events = await eventsOf("broken", "Panic")
    expect(events.map(({ stage, responseStatus }) => [stage, responseStatus?.code])).toEqual([
      ["RequestReceived", undefined],
      ["Panic", 500],
    ])
    expect(readFileSync(log, "utf8")).not.toContain("canary-of-an-error")
  })

  it("a request whose client leaves is recorded with what became of it", async () => {
    let left: () => void = () => undefined
    const isGone = new Promise<void>((resolve) => (left = resolve))
    const waiting: Filter = async ({ env }, next) => {
      if (env.request.info.verb !== "create") return next()
      reached()
      await isGone
      return next()
    }
    let reached: () => void = () => undefined
    const isReached = new Promise<void>((resolve) => (reached = resolve))
    const { client, send, eventsOf } = await startAudited("rules: [{level: RequestResponse}]", { middleware: [waiting] })
    const asked = send("POST", maps, { body: map("a"), ...id("left") }).catch(() => "gone")
    await isReached
    client.close()
    expect(await asked).toBe("gone")
    left()
    const [, complete] = await eventsOf("left")
    expect(complete).toMatchObject({ responseStatus: { code: 201 }, responseObject: { metadata: { name: "a" } } })
  })

  it("what is refused before its user is known has one event, without a user", async () => {
    const { client, send, eventsOf } = await startAudited("rules: [{level: RequestResponse}]")
    const headers = { authorization: "Bearer none", "audit-id": "stranger" }
    expect((await client.send({ method: "GET", path: secrets, headers })).status).toBe(401)
    expect((await send("GET", `${maps}?timeout=soon`, id("timeout"))).status).toBe(400)
    const [stranger, ...more] = await eventsOf("stranger", "ResponseStarted")
    expect(more).toEqual([])
    expect(stranger).toMatchObject({
      user: {},
      responseStatus: { code: 401, reason: "Unauthorized" },
      responseObject: { kind: "Status", code: 401 },
    })
    expect(stranger).not.toHaveProperty("annotations")
    expect((await eventsOf("timeout", "ResponseStarted"))[0]).toMatchObject({ user: {}, responseStatus: { code: 400 } })
  })

  it("a refusal of authorization says why", async () => {
    const { client, eventsOf } = await startAudited("rules: [{level: Metadata}]", { "authorization-mode": ["AlwaysDeny"] })
    await client.send({ method: "GET", path: secrets, headers: { "audit-id": "anonymous" } })
    expect((await eventsOf("anonymous"))[1]).toMatchObject({
      user: { username: "system:anonymous", groups: ["system:unauthenticated"] },
      responseStatus: { code: 403, reason: "Forbidden", details: { kind: "secrets" } },
      annotations: { "authorization.k8s.io/decision": "forbid", "authorization.k8s.io/reason": "Everything is forbidden." },
    })
  })
})

it("the events of a token without an end say so, the one of its refusal too", async () => {
  const signing = signingKeyIn(privateKeyPem())
  const folder = mkdtempSync(join(tmpdir(), "audit-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const key = join(folder, "accounts.pem")
  writeFileSync(key, signing.privateKey.export({ format: "pem", type: "pkcs8" }))
  const { client, send, eventsOf } = await startAudited("rules: [{level: Metadata}]", { "service-account-key-file": [key] })
  const account = await send("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "a" } } })
  const { uid }: { uid: string } = JSON.parse(account.body.toString()).metadata
  const token = await tokenOfSecret(signing, { namespace: "default", secret: "s", account: { name: "a", uid } })
  const metadata = { name: "s", annotations: { "kubernetes.io/service-account.name": "a" } }
  const secret = { metadata, type: "kubernetes.io/service-account-token", stringData: { token } }
  const use = (auditId: string): Promise<HttpAnswer> =>
    client.send({ method: "GET", path: "/version", headers: { authorization: `Bearer ${token}`, "audit-id": auditId } })
  const labels = { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" }
  await send("POST", secrets, { body: { ...secret, metadata: { ...metadata, labels } } })
  expect((await use("marked")).status).toBe(401)
  const subject = { "authentication.k8s.io/legacy-token": "system:serviceaccount:default:a" }
  expect((await eventsOf("marked", "ResponseStarted"))[0]?.annotations).toEqual({
    ...subject,
    "authentication.k8s.io/legacy-token-invalidated": "s/default",
  })
  await send("PUT", `${secrets}/s`, { body: secret })
  for (const auditId of ["looked up", "kept"]) {
    expect((await use(auditId)).status).toBe(200)
    const [received, complete] = await eventsOf(auditId)
    const annotations = { ...subject, "authentication.k8s.io/legacy-token-manual-secret": "s" }
    expect(received?.annotations).toEqual(annotations)
    expect(complete?.annotations).toEqual({ ...annotations, "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" })
  }
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } }
  expect((await send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { ...id("review"), body: review })).status).toBe(201)
  const [received, complete] = await eventsOf("review")
  expect(received?.annotations).toBeUndefined()
  expect(complete?.annotations).toMatchObject({ ...subject, "authentication.k8s.io/legacy-token-manual-secret": "s" })
})

it("the events of a version that goes say when", async () => {
  const { send, eventsOf } = await startAudited("rules: [{level: Metadata}]")
  await send("GET", "/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas", id("old"))
  expect((await eventsOf("old"))[1]).toMatchObject({ annotations: { "k8s.io/deprecated": "true", "k8s.io/removed-release": "1.32" } })
})

it("claims of proxies come before the address of the connection, and a long user agent is cut", async () => {
  const { send, eventsOf } = await startAudited("rules: [{level: Metadata}]")
  const headers = { "x-forwarded-for": "192.0.2.9, nonsense, 192.0.2.8", "x-real-ip": "192.0.2.7", "user-agent": "x".repeat(1100) }
  await send("GET", maps, { headers: { ...headers, "audit-id": "far" } })
  const [event] = await eventsOf("far")
  expect(event).toMatchObject({
    sourceIPs: ["192.0.2.9", "192.0.2.8", "192.0.2.7", "127.0.0.1"],
    userAgent: `${"x".repeat(1024)}...TRUNCATED`,
  })
})

it.each([
  ["http1", "own"],
  ["http2", "own"],
  ["http2", "node"],
] as const)("a client that has left has an address: %s, %s", async (protocol, http2) => {
  const rules = "omitStages: [RequestReceived, ResponseStarted]\nrules: [{level: Metadata}]"
  const { client, token, eventsOf } = await startAudited(rules, { "http2-implementation": http2 }, protocol)
  const headers = { authorization: `Bearer ${token}`, "audit-id": "gone" }
  const watch = await client.open({ method: "GET", path: `${maps}?watch=1`, headers })
  watch.body.on("error", () => undefined)
  watch.destroy()
  expect(await eventsOf("gone")).toMatchObject([{ sourceIPs: ["127.0.0.1"] }])
})

describe("a log that cannot be written", () => {
  const full = { "audit-log-path": "/dev/full" }

  it("refuses requests in mode blocking-strict, before they are carried out", async () => {
    const { send } = await startAudited("rules: [{level: Metadata, verbs: [create]}]", { ...full, "audit-log-mode": "blocking-strict" })
    const refused = await send("POST", maps, { body: map("a") })
    expect([refused.status, refused.body.toString()]).toEqual([500, expect.stringContaining("failed to store audit event")])
    expect((await send("GET", `${maps}/a`)).status).toBe(404)
    const metrics = (await send("GET", "/metrics")).body.toString()
    expect(metrics).toMatch(/^apiserver_audit_requests_rejected_total 1$/m)
    expect(metrics).toMatch(/^apiserver_audit_error_total\{plugin="log"\} 2$/m)
  })

  it("loses events in mode blocking, and counts them", async () => {
    const { send } = await startAudited("rules: [{level: Metadata, verbs: [create]}]", full)
    expect((await send("POST", maps, { body: map("a") })).status).toBe(201)
    const metrics = (await send("GET", "/metrics")).body.toString()
    expect(metrics).toMatch(/^apiserver_audit_error_total\{plugin="log"\} 2$/m)
    expect(metrics).toMatch(/^apiserver_audit_event_total 2$/m)
    expect(metrics).toMatch(/^apiserver_audit_level_total\{level="Metadata"\} 1$/m)
  })

  it("stops the start", async () => {
    await expect(startAudited("rules: [{level: Metadata}]", { "audit-log-path": "/proc/none/audit.log" })).rejects.toThrow(
      /--audit-log-path: \/proc\/none\/audit.log cannot be written: .*name a file in a folder that this user may write/,
    )
  })
})

it("in mode batch, events that wait are written when the server stops", async () => {
  const { send, log, stop } = await startAudited("rules: [{level: Metadata, verbs: [create]}]", {
    "audit-log-mode": "batch",
    "audit-log-batch-max-size": 1000,
    "audit-log-batch-max-wait": 3_600_000,
  })
  for (const name of ["a", "b", "c"]) await send("POST", maps, { body: map(name) })
  expect(readFileSync(log, "utf8")).toBe("")
  await stop()
  expect(eventsIn(log).map(({ stage }) => stage)).toEqual(Array.from({ length: 3 }, () => ["RequestReceived", "ResponseComplete"]).flat())
})

it("the format legacy has a line of text per event", async () => {
  const { send, log, stop } = await startAudited("rules: [{level: Metadata}]", { "audit-log-format": "legacy" })
  await send("GET", `${maps}?limit=1`, { headers: { "audit-id": "one", "user-agent": 'a "b" c\t' } })
  await stop()
  expect(readFileSync(log, "utf8").replaceAll(/^\S+Z/gm, "TIME")).toBe(
    [
      `TIME AUDIT: id="one" stage="RequestReceived" ip="127.0.0.1" method="list" user="admin" groups="\\"system:masters\\",\\"system:authenticated\\"" as="<self>" asgroups="<lookup>" user-agent="a \\"b\\" c" namespace="default" uri="${maps}?limit=1" response="<deferred>"\n`,
      `TIME AUDIT: id="one" stage="ResponseComplete" ip="127.0.0.1" method="list" user="admin" groups="\\"system:masters\\",\\"system:authenticated\\"" as="<self>" asgroups="<lookup>" user-agent="a \\"b\\" c" namespace="default" uri="${maps}?limit=1" response="200"\n`,
    ].join(""),
  )
})

it("large events lose their objects if they must, and say so", async () => {
  const { send, eventsOf, log } = await startAudited("omitStages: [RequestReceived]\nrules: [{level: RequestResponse, verbs: [create]}]", {
    "audit-log-truncate-enabled": true,
    "audit-log-truncate-max-event-size": 4096,
  })
  await send("POST", maps, { body: map("small"), ...id("small") })
  await send("POST", maps, { body: map("large", { k: "x".repeat(6000) }), ...id("large") })
  await send("POST", `${maps}?pad=${"y".repeat(5000)}`, { body: map("lost"), ...id("lost") })
  expect((await eventsOf("small"))[0]).toHaveProperty("requestObject")
  const [large] = await eventsOf("large")
  expect(large?.annotations).toMatchObject({ "audit.k8s.io/truncated": "true", "authorization.k8s.io/decision": "allow" })
  expect(large).not.toHaveProperty("requestObject")
  expect(large).not.toHaveProperty("responseObject")
  expect((await send("GET", "/metrics")).body.toString()).toMatch(/^apiserver_audit_error_total\{plugin="truncate"\} 1$/m)
  expect(readFileSync(log, "utf8")).not.toContain('"lost"')
})
