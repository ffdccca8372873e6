/** Logs, exec, attach and port forwarding through the agent on a node, as in kube-apiserver 1.30; CVEs of proxies. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { afterEach, describe, expect, test } from "vitest"
import { type Backend, networkTo, pairFor, type ScriptedNetwork, startBackend } from "../../support/backend.ts"
import { readAll } from "../../support/http-client.ts"
import { type Cluster, readUntil, startCluster } from "./cluster.ts"

const pod = "/api/v1/namespaces/default/pods/a"
let running: { cluster: Cluster; backend: Backend; network: ScriptedNetwork } | undefined

afterEach(async () => {
  await running?.cluster.stop()
  await running?.backend.stop()
  running = undefined
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** A cluster whose pod `a` runs on a node with an agent. */
async function start(agent: { answer?: Answer; upgrade?: Upgrade }) {
  const pair = await pairFor(["10.9.8.7"])
  const backend = await startBackend({ ...agent, pair })
  const network = networkTo(() => backend)
  const cluster = await startCluster({ network, agentTls: pair })
  running = { cluster, backend, network }
  await cluster.node("n", {
    addresses: [{ type: "InternalIP", address: "10.9.8.7" }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_251 } },
  })
  await cluster.pod("a", "10.1.2.3", 80)
  return running
}

const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Agent: 1\r\n\r\n"
const askSpdy = (path: string) => [
  `POST ${path} HTTP/1.1`,
  "Connection: Upgrade",
  "Upgrade: SPDY/3.1",
  "X-Stream-Protocol-Version: v4.channel.k8s.io",
]

describe("logs", () => {
  test("come from the agent as text, with the options that it knows", async () => {
    const { cluster, backend, network } = await start({
      answer: (_request, response) => {
        response.setHeader("content-type", "text/html")
        response.end("<a href=/x>\n")
      },
    })
    const query = "container=c&follow=true&previous=1&timestamps=&sinceSeconds=5&tailLines=0&limitBytes=9&insecureSkipTLSVerifyBackend=true"
    const answer = await cluster.send("GET", `${pod}/log?${query}`)
    expect([answer.status, answer.headers["content-type"], answer.body.toString()]).toEqual([200, "text/plain", "<a href=/x>\n"])
    expect(backend.requests[0]?.url).toBe(
      "/containerLogs/default/a/c?follow=true&previous=true&timestamps=true&sinceSeconds=5&tailLines=0&limitBytes=9",
    )
    expect(backend.requests[0]?.headers).not.toHaveProperty("authorization")
    expect([backend.certified, network.dialled]).toEqual([[true], ["10.9.8.7:10251"]])
  })

  test("are passed on while they are written, and end with the client", async () => {
    let gone: Promise<unknown> = Promise.resolve()
    let write = (_line: string): void => undefined
    const { cluster } = await start({
      answer: (request, response) => {
        gone = new Promise((resolve) => request.socket.once("close", resolve))
        write = (line) => response.write(line)
        write("one\n")
      },
    })
    const answer = await cluster.open("GET", `${pod}/log?follow=true`)
    answer.body.on("error", () => undefined)
    const lines = answer.body[Symbol.asyncIterator]()
    expect(String((await lines.next()).value)).toBe("one\n")
    cluster.at.clock.advance(3_600_000)
    write("two\n")
    expect(String((await lines.next()).value)).toBe("two\n")
    answer.destroy()
    await gone
  })

  test("that follow end when the server stops", async () => {
    const { cluster } = await start({ answer: (_request, response) => void response.write("one\n") })
    const answer = await cluster.open("GET", `${pod}/log?follow=true`)
    const reading = readAll(answer.body).catch(() => "broken off")
    await cluster.at.stop()
    expect(await reading).toBe("broken off")
  })

  test.each([
    [400, 400, "BadRequest", "the container is not there"],
    [403, 403, "Forbidden", "the container is not there"],
    [404, 404, "NotFound", "the server could not find the requested resource ( pods/log a)"],
    [500, 500, "InternalError", "Internal error occurred: the container is not there"],
    [503, 503, "ServiceUnavailable", "the server is currently unable to handle the request ( pods/log a)"],
    [302, 500, "InternalError", "redirected"],
  ])("that the agent refuses with %i are a Status %i", async (status, code, reason, message) => {
    const { cluster, backend } = await start({
      answer: (_request, response) => {
        response.writeHead(status, { location: "https://169.254.169.254/" })
        response.end("the container is not there")
      },
    })
    const answer = await cluster.send("GET", `${pod}/log`)
    expect([answer.status, JSON.parse(answer.body.toString())]).toMatchObject([
      code,
      { kind: "Status", reason, message: expect.stringContaining(message) },
    ])
    expect(backend.requests).toHaveLength(1)
  })
})

describe("streams", () => {
  test("become one connection after 101, byte by byte in both directions", async () => {
    const { cluster, backend } = await start({
      upgrade: (_request, socket, head) => {
        socket.write(`${switching}early `)
        socket.write(head)
        socket.on("data", (chunk: Buffer) => socket.write(`<${chunk.toString()}>`))
      },
    })
    const socket = await cluster.raw(
      askSpdy(`${pod}/exec?command=sh&command=-c&command=a%20b&stdin=1&stdout=true&stderr=false&tty=1&container=c`),
    )
    expect(await readUntil(socket, "early ")).toBe(`${switching}early `)
    socket.write("ping")
    expect(await readUntil(socket, ">")).toBe("<ping>")
    expect(backend.requests[0]?.url).toBe("/exec/default/a/c?input=1&output=1&tty=1&command=sh&command=-c&command=a+b")
    expect(backend.requests[0]?.method).toBe("POST")
    expect(backend.requests[0]?.headers).toMatchObject({ upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" })
    expect(backend.requests[0]?.headers).not.toHaveProperty("authorization")
    cluster.at.clock.advance(3_600_000)
    socket.write("later")
    expect(await readUntil(socket, ">")).toBe("<later>")
  })

  test.each([
    [`${pod}/attach?stdout=1`, "/attach/default/a/c?output=1"],
    [`${pod}/portforward?ports=80&ports=81`, "/portForward/default/a?port=80%2C81"],
  ])("%s asks the agent for %s", async (path, asked) => {
    const { cluster, backend } = await start({ upgrade: (_request, socket) => void socket.write(switching) })
    await readUntil(await cluster.raw(askSpdy(path)), "\r\n\r\n")
    expect(backend.requests[0]?.url).toBe(asked)
  })

  test("end on both sides when one side ends", async () => {
    let agent: Duplex | undefined
    let gone: Promise<unknown> = Promise.resolve()
    const { cluster } = await start({
      upgrade: (_request, socket) => {
        agent = socket
        gone = new Promise((resolve) => socket.once("close", resolve))
        socket.write(switching)
      },
    })
    const first = await cluster.raw(askSpdy(`${pod}/exec?command=ls`))
    await readUntil(first, "\r\n\r\n")
    first.destroy()
    await gone
    const second = await cluster.raw(askSpdy(`${pod}/exec?command=ls`))
    await readUntil(second, "\r\n\r\n")
    const ended = new Promise((resolve) => second.once("close", resolve))
    agent?.destroy()
    await ended
  })

  test("that the agent refuses leave no connection that could be used further (CVE-2018-1002105)", async () => {
    let ended: Promise<unknown> = Promise.resolve()
    const { cluster, backend } = await start({
      upgrade: (_request, socket) => {
        socket.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nno")
        ended = new Promise((resolve) => socket.once("end", resolve).once("close", resolve))
        socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"))
      },
    })
    const socket = await cluster.raw(askSpdy(`${pod}/exec?command=ls`))
    const closed = readUntil(socket, "")
    socket.write("GET /runningpods/ HTTP/1.1\r\nHost: agent\r\n\r\n")
    const seen = await closed
    expect(seen).toMatch(/^HTTP\/1\.1 403 /)
    expect(seen).toMatch(/no$/)
    expect(seen).not.toContain("secret")
    await ended
    expect(backend.requests).toHaveLength(1)
  })

  test("that the agent answers without changing the protocol, or redirects, are 500 (CVE-2020-8559)", async () => {
    for (const head of ["200 OK", "302 Found\r\nLocation: https://169.254.169.254/"]) {
      const { cluster, backend } = await start({
        upgrade: (_request, socket) => void socket.write(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`),
      })
      const seen = await readUntil(await cluster.raw(askSpdy(`${pod}/exec?command=ls`)), "")
      expect(seen).toMatch(/^HTTP\/1\.1 500 /)
      expect(seen).toContain(`invalid upgrade response: status code ${head.slice(0, 3)}`)
      expect(backend.requests).toHaveLength(1)
      await cluster.stop()
      await backend.stop()
      running = undefined
    }
  })

  test("want a protocol that is passed through, and no body", async () => {
    const { cluster, backend } = await start({})
    const other = await readUntil(await cluster.raw([`GET ${pod}/exec?command=ls HTTP/1.1`, "Connection: Upgrade", "Upgrade: h2c"]), "")
    expect(other).toMatch(/^HTTP\/1\.1 400 /)
    expect(other).toContain("Upgrade request required")
    const body = await readUntil(await cluster.raw([...askSpdy(`${pod}/exec?command=ls`), "Content-Length: 3"]), "")
    expect(body).toMatch(/^HTTP\/1\.1 400 [^]*must not have a body/)
    expect(backend.requests).toHaveLength(0)
  })

  test("of websockets do not carry the browser's token", async () => {
    const { cluster, backend } = await start({ upgrade: (_request, socket) => void socket.write(switching) })
    const offered = "base64url.bearer.authorization.k8s.io.dG9rZW4, v4.channel.k8s.io"
    const socket = await cluster.raw([
      `GET ${pod}/exec?command=ls HTTP/1.1`,
      "Connection: keep-alive, Upgrade",
      "Upgrade: websocket",
      `Sec-WebSocket-Protocol: ${offered}`,
    ])
    await readUntil(socket, "\r\n\r\n")
    expect(backend.requests[0]?.headers).toMatchObject({ upgrade: "websocket", "sec-websocket-protocol": "v4.channel.k8s.io" })
  })

  test("are asked for by requests that pass every filter", async () => {
    const { cluster, backend } = await start({})
    const lines = [`GET ${pod}/exec?command=ls HTTP/1.1`, "Connection: Upgrade", "Upgrade: websocket", "Authorization: Bearer wrong"]
    expect(await readUntil(await cluster.raw(lines), "")).toMatch(/^HTTP\/1\.1 401 /)
    expect(backend.requests).toHaveLength(0)
  })

  test("other requests that offer another protocol are answered in this one", async () => {
    const { cluster } = await start({})
    const seen = await readUntil(await cluster.raw(["GET /readyz HTTP/1.1", "Connection: Upgrade", "Upgrade: h2c"]), "")
    expect(seen).toMatch(/^HTTP\/1\.1 200 /)
    expect(seen).toMatch(/connection: close/i)
  })

  test("of pods behind proxies pass through as well", async () => {
    const agent = await startBackend({ upgrade: (_request, socket) => void socket.write(switching) })
    const network = networkTo(() => agent)
    const cluster = await startCluster({ network })
    running = { cluster, backend: agent, network }
    await cluster.pod("p", "10.1.2.3", 80)
    const path = "/api/v1/namespaces/default/pods/p:80/proxy/ws?x=1"
    const socket = await cluster.raw([`GET ${path} HTTP/1.1`, "Connection: Upgrade", "Upgrade: websocket"])
    expect(await readUntil(socket, "\r\n\r\n")).toBe(switching)
    expect(agent.requests[0]?.url).toBe("/ws?x=1")
  })
})
