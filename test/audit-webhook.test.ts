/** The webhook of audit: a real HTTPS server that works, is down, slow, or gives wrong answers. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TLSSocket } from "node:tls"
import { describe, expect, it, onTestFinished } from "vitest"
import { type LibraryOptions, startServer } from "../runtime/library.ts"
import type { Backend } from "./support/backend.ts"
import { createTestAuthority, type TestAuthority } from "./support/certificates.ts"
import { createHttpClient, type HttpAnswer } from "./support/http-client.ts"
import { hookAuthority, startWebHook } from "./support/web-hook.ts"

interface List {
  readonly kind: string
  readonly apiVersion: string
  readonly items: readonly { readonly stage: string; readonly auditID: string; readonly verb: string }[]
}

interface Received extends Backend {
  readonly lists: readonly List[]
  /** Resolves with the events once this many have arrived. */
  events(count: number): Promise<List["items"]>
}

type Answer = (response: ServerResponse, request: IncomingMessage, calls: number) => void
const accept: Answer = (response) => void response.writeHead(200).end()

async function receiver(answer: Answer = accept): Promise<Received> {
  const hook = await startWebHook<List>((_list, response, calls, request) => {
    answer(response, request, calls)
    return undefined
  })
  const lists = hook.reviews
  return {
    ...hook,
    lists,
    async events(count) {
      for (;;) {
        const items = lists.flatMap((list) => list.items)
        if (items.length >= count) return items
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

interface Audited {
  send(method: string, path: string, auditId?: string): Promise<HttpAnswer>
  metrics(): Promise<string>
  stop(): Promise<void>
}

async function startAudited(
  port: number,
  options: LibraryOptions = {},
  { user = { token: "secret-token" }, authority = hookAuthority }: { readonly user?: object; readonly authority?: TestAuthority } = {},
): Promise<Audited> {
  const folder = mkdtempSync(join(tmpdir(), "audit-hook-"))
  const path = (name: string): string => join(folder, name)
  writeFileSync(path("policy.yaml"), "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata, verbs: [list]}]")
  writeFileSync(path("ca.crt"), authority.certificate)
  writeFileSync(path("token"), "file-token\n")
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: `https://127.0.0.1:${port}/events`, "certificate-authority": "ca.crt" } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  }
  writeFileSync(path("hook.kubeconfig"), JSON.stringify(config))
  const server = await startServer({
    vendor: "kubernetes",
    "audit-policy-file": path("policy.yaml"),
    "audit-webhook-config-file": path("hook.kubeconfig"),
    "audit-webhook-batch-max-wait": 0,
    ...options,
  })
  const client = createHttpClient({ protocol: "http1", port: Number(new URL(server.url).port), authority: server.caPem })
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
  const send: Audited["send"] = (method, target, auditId = "id") =>
    client.send({ method, path: target, headers: { authorization: `Bearer ${server.token}`, "audit-id": auditId } })
  return { send, stop, metrics: async () => (await send("GET", "/metrics")).body.toString() }
}

const maps = "/api/v1/namespaces/default/configmaps"
const lost = (count: number, plugin = "webhook"): RegExp =>
  new RegExp(`^apiserver_audit_error_total\\{plugin="${plugin}"\\} ${count}$`, "m")

describe("in mode batch", () => {
  it.each([
    ["a token", { token: "secret-token" }, "Bearer secret-token"],
    ["a file with a token", { tokenFile: "token" }, "Bearer file-token"],
    ["a password", { username: "ann", password: "pass" }, "Basic YW5uOnBhc3M="],
    ["nothing", {}, undefined],
  ])("events are posted as lists, with %s", async (_what, user, authorization) => {
    const hook = await receiver()
    const { send } = await startAudited(hook.port, {}, { user })
    await send("GET", maps, "one")
    const events = await hook.events(2)
    expect(events.map(({ stage, auditID }) => [stage, auditID])).toEqual([
      ["RequestReceived", "one"],
      ["ResponseComplete", "one"],
    ])
    expect(hook.lists[0]).toMatchObject({ kind: "EventList", apiVersion: "audit.k8s.io/v1" })
    expect(hook.requests[0]).toMatchObject({ method: "POST" })
    expect(hook.requests[0]?.headers.authorization).toBe(authorization)
  })

  it("a client certificate is shown", async () => {
    const hook = await receiver()
    const own = await hookAuthority.issue()
    const data = (text: string): string => Buffer.from(text).toString("base64")
    const user = { "client-certificate-data": data(own.certificate), "client-key-data": data(own.key) }
    const { send } = await startAudited(hook.port, {}, { user })
    await send("GET", maps)
    await hook.events(2)
    expect(hook.certified[0]).toBe(true)
    expect(hook.requests[0]?.socket).toBeInstanceOf(TLSSocket)
  })

  it("a batch is as large as it may be, and what waits is sent at the end", async () => {
    const hook = await receiver()
    const { send, stop } = await startAudited(hook.port, { "audit-webhook-batch-max-size": 4, "audit-webhook-batch-max-wait": 3_600_000 })
    for (const one of ["a", "b", "c"]) await send("GET", maps, one)
    await hook.events(4)
    expect(hook.lists.map(({ items }) => items.length)).toEqual([4])
    await stop()
    expect(hook.lists.map(({ items }) => items.length)).toEqual([4, 2])
  })

  it("a batch that is not taken is sent again, and requests do not wait for it", async () => {
    const hook = await receiver((response, _request, calls) => void response.writeHead(calls < 3 ? 503 : 200).end("no"))
    const { send, metrics } = await startAudited(hook.port, { "audit-webhook-initial-backoff": 1, "audit-webhook-batch-max-size": 2 })
    expect((await send("GET", maps)).status).toBe(200)
    expect((await hook.events(6)).map(({ stage }) => stage)).toEqual(
      Array.from({ length: 3 }, () => ["RequestReceived", "ResponseComplete"]).flat(),
    )
    expect(await metrics()).not.toContain("apiserver_audit_error_total{")
  })

  it.each([
    ["refuses", (response: ServerResponse) => void response.writeHead(500).end()],
    ["breaks off", (response: ServerResponse) => void response.destroy()],
    ["redirects", (response: ServerResponse) => void response.writeHead(302, { location: "https://127.0.0.1:1/" }).end()],
  ])("events are lost and counted after five attempts at a server that %s", async (_what, answer) => {
    const hook = await receiver(answer)
    const { send, stop, metrics } = await startAudited(hook.port, { "audit-webhook-initial-backoff": 1 })
    await send("GET", maps)
    await hook.events(5)
    while (!/apiserver_audit_error_total\{plugin="webhook"\} 2$/m.test(await metrics()));
    await stop()
    expect(hook.lists.every(({ items }) => items.length > 0)).toBe(true)
  })

  it("a server that answers nothing keeps no request waiting, and fills the buffer", async () => {
    const hook = await receiver(() => undefined)
    const { send, metrics } = await startAudited(hook.port, {
      "audit-webhook-initial-backoff": 1,
      "audit-webhook-batch-buffer-size": 2,
      "audit-webhook-batch-max-size": 1,
      "audit-webhook-batch-throttle-burst": 1,
      "audit-webhook-batch-throttle-qps": 0.001,
    })
    for (const one of ["a", "b", "c"]) expect((await send("GET", maps, one)).status).toBe(200)
    await hook.events(1)
    expect(await metrics()).toMatch(/^apiserver_audit_error_total\{plugin="buffered"\} [34]$/m)
    await hook.stop()
  })

  it("a server that is down does not keep this one from starting and stopping", async () => {
    const gone = await receiver()
    await gone.stop()
    const { send, metrics, stop } = await startAudited(gone.port, { "audit-webhook-initial-backoff": 1, "audit-webhook-batch-max-size": 2 })
    expect((await send("GET", maps)).status).toBe(200)
    while (!lost(2).test(await metrics()));
    await stop()
  })

  it("a certificate of another authority is not trusted", async () => {
    const hook = await receiver()
    const authority = await createTestAuthority("other")
    const options = { "audit-webhook-initial-backoff": 1, "audit-webhook-batch-max-size": 2 }
    const { send, metrics } = await startAudited(hook.port, options, { authority })
    await send("GET", maps)
    while (!lost(2).test(await metrics()));
    expect(hook.lists).toEqual([])
  })
})

describe("in a blocking mode", () => {
  it("the first event arrives before the request goes on", async () => {
    const hook = await receiver((response, _request, calls) => {
      if (calls === 1) setImmediate(() => accept(response, _request, calls))
      else accept(response, _request, calls)
    })
    const { send } = await startAudited(hook.port, { "audit-webhook-mode": "blocking" })
    await send("GET", maps)
    expect(hook.lists[0]?.items[0]?.stage).toBe("RequestReceived")
    await hook.events(2)
  })

  it("a server that refuses it refuses the request in mode blocking-strict", async () => {
    const hook = await receiver((response) => void response.writeHead(500).end())
    const options: LibraryOptions = { "audit-webhook-mode": "blocking-strict", "audit-webhook-initial-backoff": 1 }
    const { send } = await startAudited(hook.port, options)
    const refused = await send("GET", maps)
    expect([refused.status, refused.body.toString()]).toEqual([500, expect.stringContaining("failed to store audit event")])
  })
})

it.each([
  ["is no kubeconfig", "{}", /current-context must name a context/],
  ["has no context", "kind: Config", /current-context must name a context/],
  ["names no cluster", 'kind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: "c"}}]', /clusters has no entry "c"/],
  [
    "has an address without TLS",
    "kind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: 'http://a'}}]",
    /server must be an https address, found "http:\/\/a"/,
  ],
  [
    "has a way to authenticate that is not known",
    "kind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'https://a'}}]\nusers: [{name: u, user: {exec: {}}}]",
    /exec is not supported: give the user a token/,
  ],
])("a configuration that %s stops the start", async (_what, text, message) => {
  const folder = mkdtempSync(join(tmpdir(), "audit-hook-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "p.yaml"), "apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{level: None}]")
  writeFileSync(join(folder, "k"), text)
  const options = { "audit-policy-file": join(folder, "p.yaml"), "audit-webhook-config-file": join(folder, "k") }
  await expect(startServer(options)).rejects.toThrow(message)
  await expect(startServer({ ...options, "audit-webhook-config-file": join(folder, "none") })).rejects.toThrow(
    /--audit-webhook-config-file: .*ENOENT/,
  )
})
