/**
 * Bounds for clients that stall, do too much at once, or hold too much, over real connections of both protocols. Other
 * clients are unaffected.
 */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import {
  http1PipelinedRequestsMax,
  lateAnswerBytesPerSecondMin,
  requestBodyBytesMax,
  writeStallTimeoutMs,
  yamlBodyBytesMax,
} from "../runtime/base/limits.ts"
import { windowUpdate } from "../runtime/http2/frame-output.ts"
import { errorCode, frameBytesMax, frameFlag, frameType, settingId } from "../runtime/http2/protocol.ts"
import { createHttpClient } from "./support/http-client.ts"
import { type InProcess, type InProcessOptions, startInProcess } from "./support/in-process.ts"
import { connectRaw, type RawConnection } from "./support/raw-connection.ts"
import { goAwayCode, http2Names, isEnd, isOf, RawClient, resetCode } from "./support/raw-http2-client.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const objects = 20
const objectBytes = 1_000_000

describe.each(http2Names)("with the HTTP/2 of %s:", (implementation) => {
  /** A server with objects that are larger than the buffers of both sockets. */
  let shared: InProcess

  beforeAll(async () => {
    shared = await startInProcess({
      http2: implementation,
      store: "memory",
      vendor: "kubernetes",
      connectionTimes: { connectionCheckMs: 20, writeStallTimeoutMs: 300, socketStallTimeoutMs: 300 },
    })
    for (let index = 0; index < objects; index++) expect((await create(shared, `large-${index}`, objectBytes)).status).toBe(201)
  })
  afterAll(async () => {
    await shared.stop()
    expect(shared.log.join("")).not.toContain("ERROR")
  })

  function create(server: InProcess, name: string, bytes: number) {
    const client = createHttpClient({ protocol: "http1", port: server.port, authority: server.authority })
    const body = Buffer.from(JSON.stringify({ metadata: { name }, data: { text: "x".repeat(bytes) } }))
    return client.send({ method: "POST", path: configMaps, headers: headersOf(server), body }).finally(() => client.close())
  }

  const headersOf = (server: InProcess) => ({ authorization: `Bearer ${server.token}`, "content-type": "application/json" })

  async function ownServer(options: Partial<InProcessOptions>): Promise<InProcess> {
    const server = await startInProcess({ http2: implementation, store: "memory", vendor: "kubernetes", ...options })
    onTestFinished(() => server.stop())
    return server
  }

  async function http2(server: InProcess, windowBytes = 65_535): Promise<RawClient> {
    const client = await RawClient.to(server)
    onTestFinished(() => client.close())
    client.begin([[settingId.initialWindowSize, windowBytes]])
    return client
  }

  async function http1(server: InProcess): Promise<RawConnection> {
    const raw = await connectRaw(server)
    onTestFinished(() => void raw.socket.destroy())
    return raw
  }

  describe("an answer that its client does not take", () => {
    it.each([
      ["an object", `${configMaps}/large-0`, {}],
      ["an object as YAML", `${configMaps}/large-0`, { accept: "application/yaml" }],
      ["a list", configMaps, {}],
      ["a table", configMaps, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }],
      ["a watch", `${configMaps}?watch=true`, {}],
      ["a refusal", configMaps, { authorization: "Bearer wrong" }],
      ["no such path", "/none", {}],
    ])("is reset over HTTP/2: %s", async (_what, path, headers) => {
      const client = await http2(shared, 0)
      client.ask(1, { ":path": path, authorization: `Bearer ${shared.token}`, ...headers })
      expect(await resetCode(client, 1)).toBe(errorCode.cancel)
      await shared.server.parts.inFlight.drained(path.includes("watch") ? "long" : "short")
    })

    it.each([
      ["a list", configMaps],
      ["a watch", `${configMaps}?watch=true`],
    ])("ends its connection over HTTP/1.1: %s", async (_what, path) => {
      const raw = await http1(shared)
      raw.socket.pause()
      raw.send(`GET ${path} HTTP/1.1`, "Host: a", `Authorization: Bearer ${shared.token}`, "", "")
      const { inFlight } = shared.server.parts
      const sort = path.includes("watch") ? "long" : "short"
      while (inFlight.counts[sort] === 0) await new Promise((resolve) => setImmediate(resolve))
      await inFlight.drained(sort)
    })

    it("continues while the client takes it, at any pace", async () => {
      const client = await http2(shared, 0)
      client.ask(1, { ":path": `${configMaps}/large-0`, authorization: `Bearer ${shared.token}` })
      await client.until(isOf(frameType.headers, 1))
      client.socket.write(windowUpdate(0, 2 ** 30))
      // Grants come more often than the time limit, in the server's time: each step waits for the granted bytes.
      while (!client.frames.some(isEnd(1))) {
        const before = client.bodyBytes(1)
        client.socket.write(windowUpdate(1, 50_000))
        await client.until((frame) => isEnd(1)(frame) || client.bodyBytes(1) === before + 50_000)
      }
      expect(JSON.parse(client.body(1).toString())).toMatchObject({ metadata: { name: "large-0" } })
    })
  })

  describe("a list that takes longer than the request timeout", () => {
    const pieceBytes = (lateAnswerBytesPerSecondMin * writeStallTimeoutMs) / 1000

    async function listing(): Promise<{ server: InProcess; client: RawClient }> {
      const server = await ownServer({})
      for (let index = 0; index < 3; index++) await create(server, `large-${index}`, objectBytes)
      const client = await http2(server)
      client.socket.write(windowUpdate(0, 2 ** 30))
      client.ask(1, { ":path": configMaps, authorization: `Bearer ${server.token}` })
      await client.until(() => client.bodyBytes(1) === 65_535)
      return { server, client }
    }

    it("completes if its client takes it at the minimum rate", async () => {
      const { server, client } = await listing()
      server.clock.advance(60_000)
      while (!client.frames.some(isEnd(1))) {
        const before = client.bodyBytes(1)
        client.socket.write(windowUpdate(1, pieceBytes))
        await client.until((frame) => isEnd(1)(frame) || client.bodyBytes(1) === before + pieceBytes)
        server.clock.advance(writeStallTimeoutMs)
      }
      expect(JSON.parse(client.body(1).toString()).items).toHaveLength(3)
    })

    it("is broken off if its client is slower", async () => {
      const { server, client } = await listing()
      server.clock.advance(60_000)
      // Node does not report how much of an unfinished frame was taken.
      const slowBytes = pieceBytes - (implementation === "node" ? frameBytesMax : 1)
      client.socket.write(windowUpdate(1, slowBytes))
      await client.until(() => client.bodyBytes(1) === 65_535 + slowBytes)
      expect(client.frames.some(isOf(frameType.reset, 1))).toBe(false)
      server.clock.advance(writeStallTimeoutMs)
      expect(await resetCode(client, 1)).toBe(errorCode.internalError)
    })
  })

  describe("a connection", () => {
    it("ends when its client no longer answers pings, and not before", async () => {
      const server = await ownServer({ connectionTimes: { http2CheckIntervalMs: 50 } })
      const client = await http2(server)
      client.ask(1, { ":path": `${configMaps}?watch=true`, authorization: `Bearer ${server.token}` })
      const pings = (): number => client.frames.filter(({ type, flags }) => type === frameType.ping && flags === 0).length
      for (let answered = 0; answered < 8; answered++) {
        await client.until(() => pings() > answered)
        client.send({ type: frameType.ping, flags: frameFlag.ack }, Buffer.alloc(8))
      }
      await client.closed()
      // Two pings without an answer, and one that was sent before the last answer arrived.
      expect(pings()).toBeLessThanOrEqual(11)
    })

    it("of HTTP/2 without requests gets GOAWAY", async () => {
      const server = await ownServer({ connectionTimes: { connectionCheckMs: 10, idleConnectionTimeoutMs: 100 } })
      const client = await http2(server)
      expect(await goAwayCode(client)).toBe(errorCode.noError)
      await client.closed()
    })

    it("with a head that never ends is closed, over both protocols", async () => {
      const server = await ownServer({
        connectionTimes: { connectionCheckMs: 10, requestHeaderTimeoutMs: 100, idleConnectionTimeoutMs: 300 },
      })
      const raw = await http1(server)
      raw.send("GET / HTTP/1.1", "Host: a", "")
      expect((await raw.answer()).status).toBe(408)
      const client = await http2(server)
      client.send({ type: frameType.headers, streamId: 1 }, Buffer.alloc(0))
      // Node does not report the incomplete head, so the connection counts as idle.
      expect(await goAwayCode(client)).toBe(implementation === "node" ? errorCode.noError : errorCode.enhanceYourCalm)
      await client.closed()
    })

    it("whose client does not close its end does not delay the stop of the server", async () => {
      const server = await startInProcess({
        http2: implementation,
        store: "memory",
        vendor: "kubernetes",
        connectionTimes: { lingerMs: 20 },
      })
      const client = await http2(server)
      client.socket.allowHalfOpen = true
      client.ask(1, { ":path": "/version" })
      await client.until(isEnd(1))
      client.socket.pause()
      await server.stop()
    })

    it("of HTTP/1.1 has a limit of waiting requests", async () => {
      const server = await ownServer({})
      const { inFlight } = server.server.parts
      const raw = await http1(server)
      // Each waits for a resource version that does not come.
      const head = ["GET /api/v1/secrets?resourceVersion=1000000 HTTP/1.1", "Host: a", `Authorization: Bearer ${server.token}`, "", ""]
      raw.socket.write(head.join("\r\n").repeat(http1PipelinedRequestsMax))
      while (inFlight.counts.short < http1PipelinedRequestsMax) await new Promise((resolve) => setImmediate(resolve))
      raw.send(...head)
      await raw.ended
      await inFlight.drained("short")
    })
  })

  describe("a body", () => {
    const sizes = (limit: number, status: number) =>
      [
        [limit, status],
        [limit + 1, 413],
      ] as const
    it.each([
      ...sizes(requestBodyBytesMax, 400).map((size) => ["application/json", ...size] as const),
      ...sizes(yamlBodyBytesMax, 400).map((size) => ["application/yaml", ...size] as const),
    ])("of %s with %d bytes gets %d, over both protocols, with and without its length", async (media, bytes, status) => {
      // Blanks after an object of an unknown kind: cheap to parse in both formats.
      const body = Buffer.alloc(bytes, " ")
      body.write('{"kind":"None"}\n')
      for (const protocol of ["http1", "http2"] as const) {
        for (const chunked of [false, true]) {
          const client = createHttpClient({ protocol, port: shared.port, authority: shared.authority })
          const headers = { ...headersOf(shared), "content-type": media }
          const answer = await client.send({ method: "POST", path: configMaps, headers, body, chunked })
          expect([protocol, chunked, answer.status]).toEqual([protocol, chunked, status])
          // The body was refused before or while it was read.
          if (status === 413) expect(JSON.parse(answer.body.toString()).message).toContain(`limit is ${bytes - 1}`)
          client.close()
        }
      }
    })
  })

  it("refuses a request over HTTP/2 whose Host differs from its :authority", async () => {
    const client = await http2(shared)
    for (const [streamId, host] of [
      [1, "elsewhere"],
      [3, "LOCALHOST"],
    ] as const) {
      client.ask(streamId, { ":path": "/version", host, authorization: `Bearer ${shared.token}` })
      const head = await client.until(isOf(frameType.headers, streamId))
      expect(client.fields(head)[":status"]).toBe(streamId === 1 ? "400" : "200")
    }
  })

  it("counts a method with the name of an object property like any unknown method", async () => {
    const client = await http2(shared)
    client.ask(1, { ":path": "/version", ":method": "constructor", authorization: `Bearer ${shared.token}` })
    await client.until(isEnd(1))
    client.ask(3, { ":path": "/metrics", authorization: `Bearer ${shared.token}` })
    client.socket.write(Buffer.concat([windowUpdate(0, 2 ** 30), windowUpdate(3, 2 ** 30)]))
    await client.until(isEnd(3))
    expect(client.body(3).toString()).not.toContain("native code")
  })
})
