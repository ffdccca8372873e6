/**
 * Clients that hold a stop, over real connections of both protocols: the stop cuts strangers at once, and known clients
 * once they make no progress. Neither needs the server's clock, which stands still here.
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { windowUpdate } from "../../runtime/http2/frame-output.ts"
import { frameFlag, frameType, settingId } from "../../runtime/http2/protocol.ts"
import { createHttpClient } from "../support/http-client.ts"
import { type InProcess, type InProcessOptions, startInProcess } from "../support/in-process.ts"
import { connectRaw } from "../support/raw-connection.ts"
import { http2Names, isEnd, isOf, RawClient } from "../support/raw-http2-client.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const wrong = { authorization: "Bearer wrong" }
const hourMs = 3_600_000
/** Real-time limits that end no connection. */
const never = { stopStallMs: hourMs, stopCheckMs: hourMs, tlsHandshakeTimeoutMs: hourMs, connectionCheckMs: hourMs }
const soon = { stopStallMs: 200, stopCheckMs: 20 }

async function serve(options: Partial<InProcessOptions>): Promise<InProcess> {
  const server = await startInProcess({ store: "memory", vendor: "kubernetes", ...options })
  onTestFinished(() => server.stop())
  return server
}

async function http2(server: InProcess, windowBytes: number): Promise<RawClient> {
  const client = await RawClient.to(server)
  onTestFinished(() => client.close())
  client.begin([[settingId.initialWindowSize, windowBytes]])
  return client
}

async function http1(server: InProcess, ...lines: string[]): Promise<Socket> {
  const { socket, send } = await connectRaw(server)
  onTestFinished(() => void socket.destroy())
  socket.pause()
  send(...lines)
  return socket
}

async function plainTcp(server: InProcess, bytes: Buffer): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1").on("error", () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, "connect")
  socket.write(bytes)
  return socket
}

/** Resolves when the server has begun this many requests. */
async function inFlight({ server }: InProcess, requests: number): Promise<void> {
  const { inFlight } = server.parts
  while (inFlight.counts.short + inFlight.counts.long < requests) await new Promise((resolve) => setImmediate(resolve))
}

describe.each(http2Names)("with the HTTP/2 of %s, a stop does not wait for strangers", (implementation) => {
  it.each([false, true])("that do not read, send slowly, or say nothing (with --shutdown-send-retry-after: %s)", async (retryAfter) => {
    const server = await serve({ http2: implementation, connectionTimes: never, shutdownSendRetryAfter: retryAfter })
    const unread = await http2(server, 0)
    for (let id = 1; id < 40; id += 2) unread.ask(id, { ":path": configMaps, ...wrong })
    const watch = await http2(server, 0)
    watch.ask(1, { ":path": `${configMaps}?watch=true`, ...wrong })
    const slow = await http2(server, 0)
    slow.ask(1, { ":method": "POST", ":path": configMaps, "content-length": "1000", ...wrong }, frameFlag.endHeaders)
    slow.data(1, Buffer.from("{"))
    await http1(server, `GET ${configMaps} HTTP/1.1`, "Host: a", "Authorization: Bearer wrong", "", "")
    await http1(server, `POST ${configMaps} HTTP/1.1`, "Host: a", "Authorization: Bearer wrong", "Content-Length: 1000", "", "{")
    await http1(server, "GET / HTTP/1.1", "Host:")
    await http1(server)
    await http2(server, 65_535)
    for (const client of [unread, watch, slow]) await client.until(({ type, streamId }) => type === frameType.headers && streamId > 0)
    // The beginning of a ClientHello, and less than that.
    await plainTcp(server, Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]))
    await plainTcp(server, Buffer.alloc(0))
    await server.server.stop()
  })
})

describe.each(http2Names)("with the HTTP/2 of %s, a stop", (implementation) => {
  async function withObjects(options: Partial<InProcessOptions>): Promise<InProcess> {
    const server = await serve({ http2: implementation, ...options })
    const client = createHttpClient({ protocol: "http1", port: server.port, authority: server.authority })
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" }
    for (let index = 0; index < 12; index++) {
      const body = Buffer.from(JSON.stringify({ metadata: { name: `large-${index}` }, data: { text: "x".repeat(1_000_000) } }))
      expect((await client.send({ method: "POST", path: configMaps, headers, body })).status).toBe(201)
    }
    client.close()
    return server
  }

  it("cuts known clients that make no progress", async () => {
    const server = await withObjects({ connectionTimes: soon })
    const known = { authorization: `Bearer ${server.token}` }
    const token = `Authorization: Bearer ${server.token}`
    for (const path of [configMaps, `${configMaps}?watch=true`]) {
      const unread = await http2(server, 0)
      unread.ask(1, { ":path": path, ...known })
      await http1(server, `GET ${path} HTTP/1.1`, "Host: a", token, "", "")
    }
    const slow = await http2(server, 0)
    slow.ask(1, { ":method": "POST", ":path": configMaps, "content-length": "1000", "content-type": "application/json", ...known }, 4)
    slow.data(1, Buffer.from("{"))
    await http1(server, `POST ${configMaps} HTTP/1.1`, "Host: a", token, "Content-Length: 1000", "Content-Type: application/json", "", "{")
    const websocket = [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ]
    await http1(server, `GET ${configMaps}?watch=true HTTP/1.1`, "Host: a", token, ...websocket, "", "")
    await inFlight(server, 7)
    await server.server.stop()
  })

  it("waits for a known client that takes its answer, at any pace", async () => {
    const server = await withObjects({})
    const client = await http2(server, 0)
    client.ask(1, { ":path": `${configMaps}/large-0`, authorization: `Bearer ${server.token}` })
    await client.until(isOf(frameType.headers, 1))
    const stopped = server.server.stop()
    client.socket.write(windowUpdate(0, 2 ** 30))
    while (!client.frames.some(isEnd(1))) {
      const before = client.bodyBytes(1)
      client.socket.write(windowUpdate(1, 50_000))
      await client.until((frame) => isEnd(1)(frame) || client.bodyBytes(1) === before + 50_000)
    }
    expect(JSON.parse(client.body(1).toString())).toMatchObject({ metadata: { name: "large-0" } })
    await stopped
  })

  it("in a hurry waits for nobody", async () => {
    const server = await withObjects({ connectionTimes: never })
    const client = await http2(server, 0)
    client.ask(1, { ":path": configMaps, authorization: `Bearer ${server.token}` })
    await client.until(isOf(frameType.headers, 1))
    const hurry = new AbortController()
    let isDrained = false
    const stopped = server.server.stop({ hurry: hurry.signal, onDrained: () => (isDrained = true) })
    hurry.abort()
    await stopped
    expect(isDrained).toBe(true)
  })
})
