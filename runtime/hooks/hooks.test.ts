/** Calls over real TLS connections: requests, verification, reuse of connections, and how each fault is reported. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { type Backend, startBackend, startSilence } from "../../test/support/backend.ts"
import { createTestAuthority, type IssuedPair, type TestAuthority } from "../../test/support/certificates.ts"
import { loggedText } from "../base/confidential.ts"
import { notFound } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import { proxyDialTimeoutMs } from "../base/limits.ts"
import { systemRandom } from "../base/random.ts"
import { addressPolicy } from "../connect/addresses.ts"
import { systemNetwork } from "../connect/dialer.ts"
import { HookError } from "./hook-error.ts"
import { createHooks, type Hooks } from "./hooks.ts"
import { hookAnswerBytesMax, hookAnswerValuesMax, hookTimeoutMs } from "./limits.ts"

const serviceName = "converter.tools.svc"
let authority: TestAuthority
let pair: IssuedPair
let servicePair: IssuedPair
const stops: (() => unknown)[] = []

beforeAll(async () => {
  authority = await createTestAuthority("hooks")
  pair = await authority.issue()
  servicePair = await authority.issue({ name: serviceName })
})

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

afterAll(() => expect(stops).toEqual([]))

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

const says =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)

async function backend(answer: Answer, served = pair): Promise<Backend> {
  const started = await startBackend({
    pair: { ...served, authority: "" },
    answer: (request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (piece: string) => {
        body += piece
      })
      request.on("end", () => answer(request, response, body))
    },
  })
  stops.push(() => started.stop())
  return started
}

const base64 = (text: string): string => Buffer.from(text).toString("base64")

interface Setting {
  readonly allowed?: string[]
  readonly objects?: Readonly<Record<string, ApiObject>>
  readonly lookup?: (name: string) => Promise<readonly string[]>
}

function hooksOf({ allowed = [], objects = {}, lookup = systemNetwork.lookup }: Setting = {}) {
  const clock = createManualClock()
  const hooks: Hooks = createHooks({
    network: { ...systemNetwork, lookup },
    policy: addressPolicy({ own: () => [], allowedCidrs: allowed, clock }),
    read: async (resource, name) => {
      const found = objects[`${resource}/${name}`]
      if (found === undefined) throw notFound({ group: "", resource, name })
      return found
    },
    random: systemRandom,
    clock,
    userAgent: "tester",
  })
  stops.push(() => hooks.close())
  const placeOf = ({ port }: { port: number }, path = "/convert"): { url: string; caBundle: string } => ({
    url: `https://127.0.0.1:${port}${path}`,
    caBundle: base64(authority.certificate),
  })
  return { clock, hooks, placeOf }
}

test("a review is posted as JSON and its answer is returned", async () => {
  const bodies: string[] = []
  const server = await backend((_request, response, body) => {
    bodies.push(body)
    says(200, '{"big":9007199254740993}')(_request, response, body)
  })
  const { hooks, placeOf } = hooksOf()
  expect(await hooks.post(placeOf(server), { review: '{"kind":"Review"}' })).toEqual({ big: 9007199254740993n })
  expect(bodies).toEqual(['{"kind":"Review"}'])
  const [request] = server.requests
  expect([request?.method, request?.url]).toEqual(["POST", "/convert?timeout=30s"])
  expect(request?.headers).toMatchObject({
    "content-type": "application/json",
    "content-length": "17",
    "user-agent": "tester",
    host: `127.0.0.1:${server.port}`,
  })
})

test("calls that follow each other use one connection, which ends with the hooks", async () => {
  const server = await backend(says(200, "{}"))
  const { hooks, placeOf } = hooksOf()
  for (let call = 0; call < 3; call++) await hooks.post(placeOf(server), { review: "{}" })
  expect(new Set(server.requests.map(({ socket }) => socket.remotePort)).size).toBe(1)
  expect(await server.connections()).toBe(1)
  hooks.close()
  await expect.poll(() => server.connections()).toBe(0)
})

test("a connection that the hook closed in the meantime is replaced", async () => {
  const server = await backend(says(200, "{}"))
  const { hooks, placeOf } = hooksOf()
  await hooks.post(placeOf(server), { review: "{}" })
  // The next request is written before the client has noticed.
  server.requests[0]?.socket.destroy()
  await expect(hooks.post(placeOf(server), { review: "{}" })).resolves.toEqual({})
})

/** A service in front of a pod at this port of the loopback address. */
const objectsOfService = (port: number): Readonly<Record<string, ApiObject>> => ({
  "services/converter": { spec: { ports: [{ name: "https", port: 443 }] } },
  "endpoints/converter": {
    subsets: [
      {
        addresses: [{ ip: "127.0.0.1", targetRef: { kind: "Pod", namespace: "tools", name: "one" } }],
        ports: [{ name: "https", port }],
      },
    ],
  },
  "pods/one": { status: { podIPs: [{ ip: "127.0.0.1" }] } },
})

test("a service is dialled at an endpoint of a pod, and its certificate has the name of the service", async () => {
  const server = await backend(says(200, "{}"), servicePair)
  const objects = objectsOfService(server.port)
  const place = { service: { namespace: "tools", name: "converter", path: "/x" }, caBundle: base64(authority.certificate) }
  const { hooks } = hooksOf({ objects, allowed: ["127.0.0.0/8"] })
  expect(await hooks.post(place, { review: "{}", timeoutMs: 1500 })).toEqual({})
  expect(server.requests[0]?.url).toBe("/x?timeout=1.5s")
  expect(server.requests[0]?.headers.host).toBe("converter.tools.svc:443")
  const refusing = hooksOf({ objects })
  await expect(refusing.hooks.post(place, { review: "{}" })).rejects.toThrow(
    'Post "https://converter.tools.svc:443/x?timeout=30s": address not allowed: 127.0.0.1 is a loopback address',
  )
  await expect(refusing.hooks.post({ service: { namespace: "a", name: "b" } }, { review: "{}" })).rejects.toThrow(
    'Post "https://b.a.svc:443/?timeout=30s": service "b" not found',
  )
})

test("an address of a name that refuses is followed by the next", async () => {
  const named = await authority.issue({ name: "hook.example" })
  const server = await backend(says(200, "{}"), named)
  const { hooks } = hooksOf({ lookup: async () => ["127.0.0.2", "127.0.0.1"] })
  const place = { url: `https://hook.example:${server.port}/`, caBundle: base64(authority.certificate) }
  await expect(hooks.post(place, { review: "{}" })).resolves.toEqual({})
})

test.each<[string, Answer, string]>([
  [
    "500 with a text",
    says(500, "broken inside", { "content-type": "text/plain" }),
    'an error on the server ("broken inside") has prevented the request from succeeding',
  ],
  ["500 with JSON", says(500, '{"a":1}'), 'an error on the server ("unknown") has prevented the request from succeeding'],
  ["500 with a Status", says(500, '{"kind":"Status","message":"my status"}'), "my status"],
  ["400", says(400, "bad", { "content-type": "text/plain" }), "the server rejected our request for an unknown reason"],
  ["403", says(403, "no way", { "content-type": "text/plain" }), "no way"],
  ["404", says(404, ""), "the server could not find the requested resource"],
  ["409", says(409, ""), "the server reported a conflict"],
  ["418", says(418, ""), "the server responded with the status code 418 but did not return more information"],
  ["429", says(429, "", { "retry-after": "1" }), "the server has received too many requests and has asked us to try again later"],
  ["503", says(503, ""), "the server is currently unable to handle the request"],
  ["204", says(204, ""), "0-length response with status code: 204 and content type: application/json"],
  ["nothing", says(200, ""), "0-length response with status code: 200 and content type: application/json"],
  [
    "a redirect",
    says(307, "", { location: "/elsewhere" }),
    "the server responded with the status code 307, and redirects are not followed",
  ],
  ["half an object", says(200, '{"a":'), "couldn't get version/kind; json parse error: unexpected end of JSON input"],
  ["more than one value", says(200, "{} x"), "couldn't get version/kind; json parse error: invalid character 'x' after top-level value"],
  ["a large answer", says(200, `"${"x".repeat(hookAnswerBytesMax)}"`), `the response has more than ${hookAnswerBytesMax} bytes`],
  ["many values", says(200, `[${"1,".repeat(hookAnswerValuesMax)}1]`), `the response has more than ${hookAnswerValuesMax} values`],
  ["an end without an answer", (request) => void request.socket.destroy(), "EOF"],
  [
    "an end within the answer",
    (request, response) => {
      response.writeHead(200, { "content-length": "10" }).write("{")
      setImmediate(() => request.socket.destroy())
    },
    "unexpected error when reading response body. Please retry. Original error: unexpected EOF",
  ],
])("%s is an error with the reference's text", async (_name, answer, text) => {
  const server = await backend(answer)
  const { hooks, placeOf } = hooksOf()
  await expect(hooks.post(placeOf(server), { review: "{}" })).rejects.toMatchObject({
    name: "HookError",
    message: expect.stringContaining(text),
  })
  expect(server.requests.length).toBe(1)
})

test.each([301, 302, 303, 307, 308])("a redirect by %d is not followed, and the log has nothing of it (CVE-2020-8561)", async (status) => {
  const inside = await backend(says(200, "inside"))
  const server = await backend(
    says(status, "of a private network", { location: `https://127.0.0.1:${inside.port}/secret`, "content-type": "text/plain" }),
  )
  const { hooks, placeOf } = hooksOf()
  const fault: unknown = await hooks.post(placeOf(server), { review: "{}" }).catch((error: unknown) => error)
  expect(fault).toBeInstanceOf(HookError)
  expect(loggedText(fault)).toBe(`the web hook answers with status ${status}`)
  expect([server.requests.length, inside.requests.length]).toEqual([1, 0])
})

test.each([
  [403, "text/plain"],
  [415, "text/plain"],
  [500, "text/plain"],
  [409, "application/json"],
  [200, "text/plain"],
])("the log has nothing of an answer with %d and %s (CVE-2020-8561)", async (status, type) => {
  const text = "what a machine of a private network says"
  const server = await backend(
    says(status, type === "text/plain" ? text : JSON.stringify({ kind: "Status", message: text }), { "content-type": type }),
  )
  const { hooks, placeOf } = hooksOf()
  const fault: unknown = await hooks.post(placeOf(server), { review: "{}" }).catch((error: unknown) => error)
  expect(loggedText(fault)).toMatch(/^the web hook answers with/)
  expect(loggedText(fault)).not.toContain("private")
})

test("a hook gets no credential of another at the same address (CVE-2019-11243)", async () => {
  const server = await backend(says(200, "{}"))
  const { hooks, placeOf } = hooksOf()
  const own = await authority.issue()
  const access = { authorization: "Bearer of-the-first", certificate: own.certificate, key: own.key }
  const places = [{ ...placeOf(server), access }, placeOf(server), { ...placeOf(server), access: {} }]
  for (const place of [...places, ...places]) await hooks.post(place, { review: "{}" })
  const shown = server.requests.map(({ headers }, index) => [headers.authorization, server.certified[index]])
  const [first, none] = [
    ["Bearer of-the-first", true],
    [undefined, false],
  ]
  expect(shown).toEqual([first, none, none, first, none, none])
})

test.each([
  ["a token", "Bearer repeated-token", "repeated-token"],
  ["a password", `Basic ${base64("me:repeated-password")}`, "repeated-password"],
])("a credential that the hook repeats is in no message: %s", async (_what, authorization, secret) => {
  const server = await backend(
    ({ headers }, response) => void response.writeHead(403).end(`you sent ${headers.authorization} with ${secret}`),
  )
  const { hooks, placeOf } = hooksOf()
  const asking = hooks.post({ ...placeOf(server), access: { authorization } }, { review: "{}" })
  await expect(asking).rejects.toThrow(/^you sent \w+ \[redacted\] with \[redacted\]$/)
})

test("a port where nothing listens", async () => {
  const server = await backend(says(200, "{}"))
  await server.stop()
  const { hooks, placeOf } = hooksOf()
  const url = `https://127.0.0.1:${server.port}/convert?timeout=30s`
  await expect(hooks.post(placeOf(server), { review: "{}" })).rejects.toThrow(
    `Post "${url}": dial tcp 127.0.0.1:${server.port}: connect: connection refused`,
  )
})

test.each<[string, (port: number) => { url: string; caBundle?: string }, string]>([
  ["the system's authorities", (port) => ({ url: `https://127.0.0.1:${port}/` }), "certificate signed by unknown authority"],
  ["another name", (port) => ({ url: `https://localhost:${port}/`, caBundle: "own" }), "certificate is valid for 127.0.0.1, not localhost"],
])("a certificate is verified: %s", async (_name, place, text) => {
  const server = await backend(says(200, "{}"))
  const { hooks } = hooksOf({ lookup: async () => ["127.0.0.1"] })
  const { caBundle, ...rest } = place(server.port)
  const trust = caBundle === undefined ? {} : { caBundle: base64(authority.certificate) }
  await expect(hooks.post({ ...rest, ...trust }, { review: "{}" })).rejects.toThrow(`tls: failed to verify certificate: x509: ${text}`)
  expect(server.requests).toEqual([])
})

const ofService = { service: { namespace: "tools", name: "converter" } }

test.each<[string, string, (port: number) => object]>([
  ["the host of a URL", "localhost", (port) => ({ url: `https://localhost:${port}/convert` })],
  ["the address of a URL", "127.0.0.1", (port) => ({ url: `https://127.0.0.1:${port}/convert` })],
  ["a service", serviceName, () => ofService],
])("a certificate whose common name alone is %s is refused", async (_what, commonName, place) => {
  const server = await backend(says(200, "{}"), await authority.issue({ commonName, isUnnamed: true }))
  const { hooks } = hooksOf({
    allowed: ["127.0.0.0/8"],
    lookup: async () => ["127.0.0.1"],
    objects: objectsOfService(server.port),
  })
  const caBundle = base64(authority.certificate)
  await expect(hooks.post({ ...place(server.port), caBundle }, { review: "{}" })).rejects.toThrow(
    "tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead",
  )
  expect(server.requests).toEqual([])
})

test("an expired certificate, and a certificate of another authority", async () => {
  const expired = await backend(says(200, "{}"), await authority.issue({ days: -1 }))
  const { hooks, placeOf } = hooksOf()
  await expect(hooks.post(placeOf(expired), { review: "{}" })).rejects.toThrow("certificate has expired or is not yet valid")
  const other = await createTestAuthority("other")
  const foreign = await backend(says(200, "{}"), await other.issue())
  await expect(hooks.post(placeOf(foreign), { review: "{}" })).rejects.toThrow("certificate signed by unknown authority")
})

test.each([
  [{}, "webhook configuration must have either service or URL"],
  [{ url: "not a url" }, "Unparsable URL: not a url"],
  [{ url: "http://127.0.0.1/" }, "'https' is the only allowed URL scheme"],
])("the place %j is refused", async (place, text) => {
  await expect(hooksOf().hooks.post(place, { review: "{}" })).rejects.toThrow(text)
})

test("a call ends when its time is over, before the answer and within it", async () => {
  const waiting: ServerResponse[] = []
  const server = await backend((_request, response) => {
    waiting.push(response)
    if (waiting.length === 2) response.writeHead(200).write("{")
  })
  const { clock, hooks, placeOf } = hooksOf()
  const silent = hooks.post(placeOf(server), { review: "{}" })
  const refused = expect(silent).rejects.toThrow("net/http: request canceled (Client.Timeout exceeded while awaiting headers)")
  await expect.poll(() => waiting.length).toBe(1)
  clock.advance(hookTimeoutMs)
  await refused
  const half = hooks.post(placeOf(server), { review: "{}", timeoutMs: 1000 })
  const cut = expect(half).rejects.toThrow(/context deadline exceeded|awaiting headers/)
  await expect.poll(() => waiting.length).toBe(2)
  clock.advance(1000)
  await cut
  await expect.poll(() => server.connections()).toBe(0)
})

test("a machine that accepts and does not speak TLS is given up", async () => {
  const silent = await startSilence()
  stops.push(() => silent.stop())
  const { clock, hooks, placeOf } = hooksOf()
  const call = expect(hooks.post(placeOf(silent), { review: "{}", timeoutMs: 2 * proxyDialTimeoutMs })).rejects.toThrow("i/o timeout")
  await expect.poll(() => silent.connections()).toBe(1)
  clock.advance(proxyDialTimeoutMs)
  await call
})

test("a caller ends its call, and closing ends all of them", async () => {
  const waiting: ServerResponse[] = []
  const server = await backend((_request, response) => void waiting.push(response))
  const { hooks, placeOf } = hooksOf()
  const ending = new AbortController()
  const ended = expect(hooks.post(placeOf(server), { review: "{}", signal: ending.signal })).rejects.toThrow("gone")
  const closed = expect(hooks.post(placeOf(server), { review: "{}" })).rejects.toThrow("the server is stopping")
  await expect.poll(() => waiting.length).toBe(2)
  ending.abort(new Error("gone"))
  await ended
  hooks.close()
  await closed
  await expect(hooks.post(placeOf(server), { review: "{}", signal: AbortSignal.abort(new Error("gone before")) })).rejects.toThrow(
    "gone before",
  )
})
