/**
 * Large lists over one HTTP/2 connection: many at once, to slow readers, and to clients that disconnect. The tests
 * prove that the lists complete and that memory stays far below the bytes sent (design promise 5), not how fast they
 * are.
 */
import { constants, type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2"
import { once } from "node:events"
import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { http2Names } from "./support/raw-http2-client.ts"
import { createHttpClient } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

const lists = 50
const objects = 200
const objectBytes = 100 * 1024
const listBytes = objects * objectBytes
/** Client and server share the process. 50 lists are 1 GB; a write and a window of each are a tenth of this limit. */
const growthBytesMax = 256 * 1024 * 1024
/** The most memory held after clients have gone: pools of buffers, but no lists. */
const keptBytesMax = 16 * 1024 * 1024
const windowBytes = 256 * 1024
const resets = 1000
/** Short, so that the test finds connections whose end node did not notice. */
const checkIntervalMs = 300
const path = "/api/v1/namespaces/default/configmaps"

// A gigabyte and more passes through one process, which takes minutes on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

describe.each(http2Names)("with the HTTP/2 of %s:", (http2) => {
  let at: InProcess
  const sessions = new Set<ClientHttp2Session>()

  beforeAll(async () => {
    at = await startInProcess({ http2, store: "memory", vendor: "orch", connectionTimes: { http2CheckIntervalMs: checkIntervalMs } })
    const client = createHttpClient({ protocol: "http1", port: at.port, authority: at.authority })
    for (let index = 0; index < objects; index++) {
      const body = Buffer.from(
        JSON.stringify({ metadata: { name: `large-${index}` }, data: { text: String(index % 10).repeat(objectBytes) } }),
      )
      const { status } = await client.send({
        method: "POST",
        path,
        headers: { authorization: `Bearer ${at.token}`, "content-type": "application/json" },
        body,
      })
      expect(status).toBe(201)
    }
    client.close()
  })

  afterAll(async () => {
    for (const session of sessions) session.destroy()
    await at.stop()
    expect(at.log.join("")).not.toContain("ERROR")
  })

  describe("50 lists of 20 MB on one connection", () => {
    it("all complete, and memory stays bounded", async () => {
      const session = await connected()
      const memory = new MemoryWatch()
      const received = await Promise.all(Array.from({ length: lists }, () => receivedBytes(list(session), memory)))
      for (const bytes of received) expect(bytes).toBeGreaterThan(listBytes)
      expect(new Set(received).size, "every list has the same bytes").toBe(1)
      expect(memory.growthBytes()).toBeLessThan(growthBytesMax)
    })

    it("wait for readers that pause, and complete when they continue", async () => {
      const session = await connected()
      const memory = new MemoryWatch()
      const streams = Array.from({ length: lists }, () => list(session))
      await Promise.all(streams.map((stream) => once(stream, "response")))
      await until(() => streams.every((stream) => stream.readableLength > 0))
      // The server serves other clients meanwhile.
      const other = await connected()
      expect(await statusOf(other.request(head("/api/v1/namespaces/default")))).toBe(200)
      memory.sample()
      const received = await Promise.all(streams.map((stream) => receivedBytes(stream, memory)))
      for (const bytes of received) expect(bytes).toBeGreaterThan(listBytes)
      expect(memory.growthBytes()).toBeLessThan(growthBytesMax)
    })

    it("are released when the client disconnects midway", async () => {
      collectGarbage()
      const before = { bytes: heldBytes(), sockets: openSockets() }
      for (let round = 0; round < 3; round++) {
        const session = await connected()
        const streams = Array.from({ length: lists }, () => list(session))
        await Promise.all(streams.map((stream) => once(stream, "readable")))
        session.destroy()
        await Promise.all(streams.map((stream) => stream.closed || once(stream, "close")))
      }
      await until(() => {
        collectGarbage()
        return openSockets() <= before.sockets && heldBytes() - before.bytes < keptBytesMax
      })
      const session = await connected()
      expect(await receivedBytes(list(session), new MemoryWatch())).toBeGreaterThan(listBytes)
    })
  })

  describe("20 lists of 20 MB over HTTP/1.1", () => {
    it("are released when the client disconnects midway", async () => {
      const before = openSockets()
      const client = createHttpClient({ protocol: "http1", port: at.port, authority: at.authority })
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => client.open({ method: "GET", path, headers: { authorization: `Bearer ${at.token}` } })),
      )
      for (const answer of answers) answer.destroy()
      client.close()
      await until(() => openSockets() <= before)
    })
  })

  describe("1,000 streams that are reset at once", () => {
    it.each([
      ["before they are answered", (stream: ClientHttp2Stream) => stream.close(constants.NGHTTP2_CANCEL)],
      ["while they are answered", (stream: ClientHttp2Stream) => stream.once("readable", () => stream.close(constants.NGHTTP2_CANCEL))],
    ])("%s do not stop the server", async (_when, reset) => {
      const session = await connected()
      const over: Promise<unknown>[] = []
      for (let index = 0; index < resets && !session.closed && !session.destroyed; index++) {
        const stream = list(session)
        over.push(new Promise((resolve) => stream.on("close", resolve)))
        reset(stream)
        // The server may end such a connection, but no other.
        if (index % 100 === 99) await setImmediate()
      }
      await Promise.all(over)
      const other = await connected()
      expect(await statusOf(other.request(head("/api/v1/namespaces/default")))).toBe(200)
    })
  })

  function head(target: string): Record<string, string> {
    return { ":method": "GET", ":path": target, authorization: `Bearer ${at.token}` }
  }

  function list(session: ClientHttp2Session): ClientHttp2Stream {
    const stream = session.request(head(path))
    stream.on("error", () => undefined)
    return stream
  }

  async function connected(): Promise<ClientHttp2Session> {
    const session = connect(`https://127.0.0.1:${at.port}`, { ca: at.authority, settings: { initialWindowSize: windowBytes } })
    sessions.add(session)
    session.on("error", () => undefined)
    await once(session, "connect")
    session.setLocalWindowSize(lists * windowBytes)
    return session
  }

  /** Reads an answer to its end and returns the number of its bytes. */
  async function receivedBytes(stream: ClientHttp2Stream, memory: MemoryWatch): Promise<number> {
    let bytes = 0
    for await (const chunk of stream) {
      bytes += chunk.length
      memory.sample()
    }
    return bytes
  }

  async function statusOf(stream: ClientHttp2Stream): Promise<unknown> {
    const [headers] = await once(stream, "response")
    stream.resume()
    return headers[":status"]
  }
})

/** Records the largest resident set since its creation. */
class MemoryWatch {
  private readonly startBytes: number
  private peakBytes = 0
  private samples = 0

  constructor() {
    collectGarbage()
    this.startBytes = process.memoryUsage.rss()
  }

  sample(): void {
    // Querying the system costs more than processing a chunk.
    if (this.samples++ % 256 === 0) this.peakBytes = Math.max(this.peakBytes, process.memoryUsage.rss())
  }

  growthBytes(): number {
    return this.peakBytes - this.startBytes
  }
}

/** The sockets that node counts, at both ends of each connection. Includes sockets whose close it has not noticed. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "TCPSocketWrap").length
}

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

/** Waits until the condition holds. The time limit of the test runner applies. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate()
}
