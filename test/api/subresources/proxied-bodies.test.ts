/**
 * Request bodies that are passed on, over real sockets. Each is framed, so that no backend reads one as the next
 * request, which would have this server's rights.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { afterEach, describe, expect, test } from "vitest"
import { type Backend, startBackend } from "../../support/backend.ts"
import { startHostileBackend } from "../../support/hostile-backend.ts"
import type { Protocol } from "../../support/http-client.ts"
import { type Cluster, readUntil, startCluster } from "./cluster.ts"

const pod = "/api/v1/namespaces/default/pods/a"
const smuggled = Buffer.from("GET /admin HTTP/1.1\r\nHost: pod\r\nX-Remote-User: admin\r\n\r\n")
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function clusterTo(port: number, protocol: Protocol = "http1"): Promise<Cluster> {
  const cluster = await startCluster({ allowedCidrs: ["127.0.0.0/8"] }, protocol)
  stops.unshift(cluster.stop)
  await cluster.pod("a", "127.0.0.1", port)
  return cluster
}

async function hostile(name: string, protocol: Protocol = "http1") {
  const backend = await startHostileBackend({ always: name })
  stops.push(backend.stop)
  return { backend, cluster: await clusterTo(backend.port, protocol) }
}

/** A backend that keeps the bodies that it receives, by method. */
async function keeping(protocol: Protocol): Promise<{ backend: Backend; cluster: Cluster; bodies: string[] }> {
  const bodies: string[] = []
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    let body = ""
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on("end", () => {
      bodies.push(`${request.method} ${body}`)
      response.end()
    })
  }
  const backend = await startBackend({ answer })
  stops.push(backend.stop)
  return { backend, bodies, cluster: await clusterTo(backend.port, protocol) }
}

describe.each(["http1", "http2"] as const)("over %s", (protocol) => {
  test.each(["GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT", "PATCH"])(
    "the body of %s is one request, with a length or without",
    async (method) => {
      const { backend, bodies, cluster } = await keeping(protocol)
      const path = `${pod}/proxy/public`
      const headers = { authorization: `Bearer ${cluster.at.token}` }
      // Node's own client of HTTP/1.1 frames no body of a GET unless it is asked to.
      const unframed = protocol === "http1" ? { "transfer-encoding": "chunked" } : {}
      await cluster.client.send({ method, path, headers, body: smuggled })
      await cluster.client.send({ method, path, headers: { ...headers, ...unframed }, body: smuggled, chunked: true })
      await cluster.client.send({ method, path, headers })
      expect(bodies).toEqual([`${method} ${smuggled.toString()}`, `${method} ${smuggled.toString()}`, `${method} `])
      expect(backend.requests.map(({ url }) => url)).toEqual(["/public", "/public", "/public"])
    },
  )

  test("a body of many pieces without a length arrives whole, with a GET too", async () => {
    const { bodies, cluster } = await keeping(protocol)
    const body = Buffer.alloc(3_000_000, "0123456789")
    const headers = { authorization: `Bearer ${cluster.at.token}`, ...(protocol === "http1" && { "transfer-encoding": "chunked" }) }
    await cluster.client.send({ method: "GET", path: `${pod}/proxy/`, headers, body, chunked: true })
    expect(bodies[0]?.length).toBe("GET ".length + body.length)
  })

  test("an answer that comes before the body was taken reaches the client", async () => {
    const { cluster } = await hostile("x", protocol)
    const answer = await cluster.send("POST", `${pod}/proxy/`, Buffer.alloc(8_000_000), { "content-type": "application/octet-stream" })
    expect([answer.status, answer.body.toString()]).toEqual([200, "ok"])
  })

  test("a backend that is not there, or that breaks the connection, is a Status also while a body is sent", async () => {
    const { backend, cluster } = await hostile("reset", protocol)
    const send = () => cluster.send("POST", `${pod}/proxy/`, Buffer.alloc(1_000_000), { "content-type": "application/octet-stream" })
    expect((await send()).status).toBe(503)
    await backend.stop()
    expect((await send()).status).toBe(503)
  })
})

test("a body that is shorter than was said ends the request at the other end", async () => {
  const { backend, cluster } = await hostile("silence")
  const socket = await cluster.raw([`POST ${pod}/proxy/x HTTP/1.1`, "Content-Length: 100"])
  socket.write("some")
  await expect.poll(() => backend.heard[0] ?? "").toMatch(/content-length: 100\r\n[^]*\r\n\r\nsome$/i)
  socket.destroy()
  await expect.poll(() => backend.connections()).toBe(0)
  expect(backend.heard).toHaveLength(1)
})

test("what follows a body is a request to this server and never the other end's", async () => {
  const { backend, cluster } = await hostile("x")
  const socket = await cluster.raw([`GET ${pod}/proxy/x HTTP/1.1`, "Content-Length: 3"])
  socket.write("abcGET /admin HTTP/1.1\r\nHost: server.example\r\nX-Remote-User: admin\r\n\r\n")
  const seen = await readUntil(socket, "HTTP/1.1 401")
  expect(seen).toContain("HTTP/1.1 200")
  expect(backend.heard).toHaveLength(1)
  expect(backend.heard[0]).toMatch(/\r\n\r\nabc$/)
})

test("of an HTTP/2 request's two names of the host the checked one is sent on", async () => {
  const { backend, cluster } = await hostile("x", "http2")
  const authority = `127.0.0.1:${cluster.at.port}`
  await cluster.send("GET", `${pod}/proxy/x`, undefined, { ":authority": authority, host: "elsewhere.example" }).catch(() => undefined)
  await cluster.send("GET", `${pod}/proxy/x`)
  expect(backend.heard.length).toBeGreaterThan(0)
  for (const heard of backend.heard) {
    expect(heard).toContain(`\r\nhost: ${authority}\r\n`)
    expect(heard).not.toContain("elsewhere")
  }
})
