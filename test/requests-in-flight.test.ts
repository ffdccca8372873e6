/**
 * `--max-requests-inflight` and `--max-mutating-requests-inflight` over real connections: some requests are held open,
 * and others get responses or are refused meanwhile.
 */
import { type ClientHttp2Stream, connect, constants } from "node:http2"
import { once } from "node:events"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { createHttpClient, type HttpAnswer, type HttpClient, type Protocol } from "./support/http-client.ts"
import { type InProcess, plainToken, startInProcess } from "./support/in-process.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const configMap = (name: string): Buffer => Buffer.from(JSON.stringify({ metadata: { name } }))

let at: InProcess

async function start(readOnly: number, mutating: number): Promise<void> {
  at = await startInProcess({ store: "memory", vendor: "kubernetes", requestsInFlight: { readOnly, mutating } })
  const { stop } = at
  onTestFinished(stop)
}

function client(protocol: Protocol = "http1"): HttpClient {
  const made = createHttpClient({ protocol, port: at.port, authority: at.authority })
  onTestFinished(() => made.close())
  return made
}

function ask(method: string, path: string, { token = plainToken, body }: { token?: string; body?: Buffer } = {}): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }) }
  return client().send({ method, path, headers, ...(body !== undefined && { body }) })
}

/**
 * A request that stays in flight: its client grants no window for the response, or does not send the rest of the body.
 */
async function hold(fields: Record<string, string>, body?: Buffer): Promise<ClientHttp2Stream> {
  const session = connect(`https://127.0.0.1:${at.port}`, {
    ca: at.authority,
    ...(body === undefined && { settings: { initialWindowSize: 0 } }),
  })
  session.on("error", () => undefined)
  onTestFinished(() => session.destroy())
  const stream = session.request({ authorization: `Bearer ${plainToken}`, ...fields }, { endStream: body === undefined })
  stream.on("error", () => undefined)
  if (body === undefined) await once(stream, "response")
  else stream.write(body)
  return stream
}

const seats = (): Promise<void> => vi.waitFor(() => expect(at.server.parts.inFlight.seats).toEqual({ readOnly: 1, mutating: 1 }))
const noSeats = (): Promise<void> => vi.waitFor(() => expect(at.server.parts.inFlight.seats).toEqual({ readOnly: 0, mutating: 0 }))

describe("as many requests in flight as are allowed", () => {
  let read: ClientHttp2Stream
  let write: ClientHttp2Stream
  beforeEach(async () => {
    await start(1, 1)
    read = await hold({ ":path": "/api/v1/namespaces" })
    write = await hold({ ":method": "POST", ":path": configMaps, "content-type": "application/json" }, configMap("held").subarray(0, 5))
    await seats()
  })

  it.each(["http1", "http2"] as const)("make the server answer others with 429 and Retry-After over %s", async (protocol) => {
    const authorization = `Bearer ${plainToken}`
    const one = client(protocol)
    const refused = [
      await one.send({ method: "GET", path: "/api/v1/namespaces", headers: { authorization } }),
      await one.send({ method: "GET", path: "/version", headers: { authorization } }),
      await one.send({
        method: "POST",
        path: configMaps,
        headers: { authorization, "content-type": "application/json" },
        body: configMap("refused"),
      }),
      await one.send({ method: "DELETE", path: `${configMaps}/refused`, headers: { authorization } }),
    ]
    for (const { status, headers, body } of refused) {
      expect([status, headers["retry-after"]]).toEqual([429, "1"])
      expect(JSON.parse(body.toString())).toMatchObject({
        kind: "Status",
        code: 429,
        reason: "TooManyRequests",
        message: "Too many requests, please try again later.",
        details: { retryAfterSeconds: 1 },
      })
    }
  })

  it("let members of system:masters, health probes and watches through; 401 comes first", async () => {
    expect((await ask("GET", "/api/v1/namespaces", { token: at.token })).status).toBe(200)
    expect((await ask("POST", configMaps, { token: at.token, body: configMap("masters") })).status).toBe(201)
    for (const path of ["/healthz", "/livez/ping", "/readyz?verbose"])
      expect((await ask("GET", path, { token: plainToken })).status).toBe(200)
    expect((await ask("GET", "/api/v1/namespaces", { token: "wrong" })).status).toBe(401)
    const watch = await client().open({
      method: "GET",
      path: "/api/v1/namespaces?watch=true",
      headers: { authorization: `Bearer ${plainToken}` },
    })
    expect(watch.status).toBe(200)
    watch.destroy()
    expect((await ask("GET", "/metrics", { token: at.token })).body.toString()).toContain(
      'apiserver_current_inflight_requests{request_kind="mutating"} 1\napiserver_current_inflight_requests{request_kind="readOnly"} 1\n',
    )
  })

  it("are in flight until their response is complete or their client is gone", async () => {
    read.close(constants.NGHTTP2_CANCEL)
    write.end(configMap("held").subarray(5))
    write.resume()
    await noSeats()
    expect((await ask("GET", `${configMaps}/held`)).status).toBe(200)
    expect((await ask("POST", configMaps, { body: configMap("next") })).status).toBe(201)
    await noSeats()
  })
})

it("a limit of 0 means no limit, and the other limit still applies", async () => {
  await start(0, 1)
  await hold({ ":path": "/api/v1/namespaces" })
  await hold({ ":path": "/api/v1/namespaces" })
  expect((await ask("GET", "/api/v1/namespaces")).status).toBe(200)
  expect((await ask("POST", configMaps, { body: configMap("only") })).status).toBe(201)
})
