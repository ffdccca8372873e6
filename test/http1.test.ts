/**
 * HTTP/1.1 as bytes: requests that no library sends, requests that never end, clients that disconnect, and a server
 * that stops.
 */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { type InProcess, type InProcessOptions, startInProcess } from "./support/in-process.ts"
import { connectRaw, type RawConnection } from "./support/raw-connection.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"

let shared: InProcess

beforeAll(async () => {
  shared = await startInProcess({ store: "memory", vendor: "kubernetes" })
})
afterAll(async () => {
  await shared.stop()
})

async function connection(server: InProcess): Promise<RawConnection> {
  const raw = await connectRaw(server)
  onTestFinished(() => void raw.socket.destroy())
  return raw
}

async function ownServer(options: Partial<InProcessOptions>): Promise<InProcess> {
  const server = await startInProcess({ store: "memory", vendor: "kubernetes", ...options })
  onTestFinished(() => server.stop())
  return server
}

const authorization = (server: InProcess): string => `Authorization: Bearer ${server.token}`

describe("a request that violates HTTP gets a Status, and its connection is closed", () => {
  it.each<[string, string, readonly string[], number]>([
    ["no Host", "GET /version HTTP/1.1", [], 400],
    ["two Hosts", "GET /version HTTP/1.1", ["Host: a", "Host: b"], 400],
    ["a malformed Host", "GET /version HTTP/1.1", ["Host: a/b"], 400],
    ["a version that has no text form", "GET /version HTTP/2.0", ["Host: a"], 505],
    ["an unknown encoding", "POST /version HTTP/1.1", ["Host: a", "Transfer-Encoding: gzip, chunked"], 501],
    ["an unknown expectation", "POST /version HTTP/1.1", ["Host: a", "Expect: more", "Content-Length: 1"], 417],
    ["a tunnel", "CONNECT example.com:443 HTTP/1.1", ["Host: a"], 405],
    ["an unknown method", "FROB /version HTTP/1.1", ["Host: a"], 405],
    ["a field name with a space", "GET /version HTTP/1.1", ["Host: a", "Fo o: b"], 400],
    ["a folded field", "GET /version HTTP/1.1", ["Host: a", "Foo: b", " c"], 400],
    ["two lengths", "POST /version HTTP/1.1", ["Host: a", "Content-Length: 1", "Content-Length: 2"], 400],
    ["a length and chunks", "POST /version HTTP/1.1", ["Host: a", "Content-Length: 1", "Transfer-Encoding: chunked"], 400],
    ["a target that is not a path", "GET version HTTP/1.1", ["Host: a"], 400],
    ["fields that are too long", "GET /version HTTP/1.1", ["Host: a", `Foo: ${"x".repeat(300_000)}`], 431],
    ["too many fields", "GET /version HTTP/1.1", ["Host: a", ...Array.from({ length: 2500 }, (_, index) => `F${index}: x`)], 431],
  ])("%s", async (_what, line, fields, status) => {
    const raw = await connection(shared)
    raw.send(line, ...fields, "", "")
    const answer = await raw.answer()
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({ "content-type": "application/json", connection: "close", date: expect.stringMatching(/GMT$/) })
    expect(JSON.parse(answer.body)).toMatchObject({ kind: "Status", status: "Failure", code: status })
    await raw.ended
  })
})

describe("a valid but unusual request is served", () => {
  it.each<[string, string, readonly string[], number]>([
    ["an empty Host", "GET /version HTTP/1.1", ["Host:"], 200],
    ["HTTP/1.0 without Host", "GET /version HTTP/1.0", [], 200],
    ["an absolute URL", "GET https://example.com/version HTTP/1.1", ["Host: a"], 200],
    ["the server itself", "OPTIONS * HTTP/1.1", ["Host: a"], 200],
    ["a star", "GET * HTTP/1.1", ["Host: a", "X: y"], 401],
    ["a very long path", `GET /${"x".repeat(100_000)} HTTP/1.1`, ["Host: a"], 401],
    ["many fields", "GET /version HTTP/1.1", ["Host: a", ...Array.from({ length: 1500 }, (_, index) => `F${index}: x`)], 200],
  ])("%s", async (_what, line, fields, status) => {
    const raw = await connection(shared)
    raw.send(line, ...fields, ...(status === 200 ? [authorization(shared)] : []), "", "")
    expect((await raw.answer()).status).toBe(status)
  })
})

describe("several requests on one connection", () => {
  it("are answered in order, with the error for an invalid one last", async () => {
    const raw = await connection(shared)
    const get = ["GET /version HTTP/1.1", "Host: a", authorization(shared), "", ""].join("\r\n")
    raw.send(`${get}${get}garbage\r\n\r\n`)
    expect((await raw.answer()).status).toBe(200)
    expect((await raw.answer()).status).toBe(200)
    expect((await raw.answer()).status).toBe(400)
    await raw.ended
  })

  it("keep their responses when more bytes arrive than announced", async () => {
    const raw = await connection(shared)
    const body = '{"metadata":{"name":"short"}}'
    raw.send(`POST ${configMaps} HTTP/1.1`, "Host: a", authorization(shared), `Content-Length: ${body.length - 5}`, "", body)
    expect((await raw.answer()).status).toBe(400)
    expect((await raw.answer()).status).toBe(400)
    await raw.ended
  })

  it("end at a chunk that cannot be parsed", async () => {
    const raw = await connection(shared)
    raw.send(`POST ${configMaps} HTTP/1.1`, "Host: a", authorization(shared), "Transfer-Encoding: chunked", "", "zz", "")
    const answer = await raw.answer()
    expect(answer.status).toBe(400)
    expect(answer.headers).toMatchObject({ connection: "close" })
    await raw.ended
  })
})

describe("Expect: 100-continue", () => {
  const post = (server: InProcess, body: string, path = configMaps): string[] => [
    `POST ${path} HTTP/1.1`,
    "Host: a",
    authorization(server),
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Expect: 100-continue",
    "",
    "",
  ]

  it("is answered when the body is needed", async () => {
    const raw = await connection(shared)
    const body = '{"metadata":{"name":"asked"}}'
    raw.send(...post(shared, body))
    expect((await raw.head()).status).toBe(100)
    raw.send(body)
    expect((await raw.answer()).status).toBe(201)
  })

  it("is not answered when the request is refused anyway", async () => {
    const raw = await connection(shared)
    raw.send(...post(shared, "{}", "/api/v1/nothing"))
    const answer = await raw.answer()
    expect(answer.status).toBe(404)
    expect(answer.headers).toMatchObject({ connection: "close" })
    await raw.ended
  })

  it("the deadline ends a request whose body never arrives", async () => {
    const server = await ownServer({})
    const raw = await connection(server)
    raw.send(...post(server, "{}"))
    expect((await raw.head()).status).toBe(100)
    server.clock.advance(60_000)
    const answer = await raw.answer()
    expect(JSON.parse(answer.body)).toMatchObject({ kind: "Status", reason: "Timeout", code: 504 })
    await server.server.parts.inFlight.drained("short")
    expect(server.log).toEqual([])
  })

  it("the request is released when the client disconnects", async () => {
    const server = await ownServer({})
    const raw = await connection(server)
    raw.send(...post(server, "{}"))
    expect((await raw.head()).status).toBe(100)
    expect(server.server.parts.inFlight.counts).toEqual({ short: 1, long: 0 })
    raw.socket.destroy()
    await server.server.parts.inFlight.drained("short")
    expect(server.log).toEqual([])
  })
})

it("a client that speaks plain HTTP to the TLS port gets an explanation", async () => {
  const response = await fetch(`http://127.0.0.1:${shared.port}/version`)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ kind: "Status", message: "the request is HTTP, this port speaks HTTPS" })
})

it("a watch is released with its client", async () => {
  const server = await ownServer({})
  const raw = await connection(server)
  raw.send(`GET ${configMaps}?watch=1 HTTP/1.1`, "Host: a", authorization(server), "", "")
  expect((await raw.head()).status).toBe(200)
  expect(server.server.parts.inFlight.counts).toEqual({ short: 0, long: 1 })
  raw.socket.destroy()
  await server.server.parts.inFlight.drained("long")
})

describe("a server that stops with --shutdown-send-retry-after", () => {
  it("refuses new requests until those in flight are done, and reports that to probes", async () => {
    const server = await startInProcess({ store: "memory", vendor: "kubernetes", shutdownSendRetryAfter: true })
    const [slow, fresh, probe] = [await connection(server), await connection(server), await connection(server)]
    // The stop cuts connections on which no request has authenticated.
    for (const known of [fresh, probe]) {
      known.send("GET /version HTTP/1.1", "Host: a", authorization(server), "", "")
      expect((await known.answer()).status).toBe(200)
    }
    const body = '{"metadata":{"name":"late"}}'
    const head = [`POST ${configMaps} HTTP/1.1`, "Host: a", authorization(server), `Content-Length: ${body.length}`]
    slow.send(...head, "Expect: 100-continue", "", "")
    expect((await slow.head()).status).toBe(100)
    const stopped = server.stop()
    fresh.send(`GET ${configMaps} HTTP/1.1`, "Host: a", authorization(server), "", "")
    const refused = await fresh.answer()
    expect(refused.status).toBe(429)
    expect(refused.headers).toMatchObject({ "retry-after": "5", connection: "close" })
    expect(JSON.parse(refused.body)).toMatchObject({ reason: "TooManyRequests", code: 429 })
    probe.send("GET /readyz HTTP/1.1", "Host: a", authorization(server), "", "")
    expect((await probe.answer()).status).toBe(500)
    slow.send(body)
    expect((await slow.answer()).status).toBe(201)
    await stopped
  })
})
