/**
 * What happens to clients that take their answers slowly, or not at all? Clients that take nothing must be disconnected
 * after the stall limit, slow ones that progress must not, and a list of 20 MB must reach a client of 1 Mbit/s
 * completely. Over HTTP/2 and HTTP/1.1, with the default limits.
 * Run: npm run bench -- stalled-readers --full
 */
import { readFileSync } from "node:fs"
import { connect as connectHttp2, type ClientHttp2Stream } from "node:http2"
import { setTimeout } from "node:timers/promises"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { socketStallTimeoutMs, writeStallTimeoutMs } from "../runtime/base/limits.ts"
import { configMapsIn } from "./support/config-maps.ts"
import { openHttp2Client } from "./support/http2-client.ts"
import { openOptions } from "./support/options.ts"
import { peakMb, residentMb, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const stalled = options.number("stalled", { small: 20, full: 250 })
const slow = options.number("slow", { small: 2, full: 10 })
const listObjects = options.number("list-objects", { small: 4, full: 20 })
options.done()

const path = configMapsIn("default")
const streamsPerConnection = 50
/** Bytes that a slow client takes per second. */
const slowBytes = 40_000
/** 1 Mbit/s. */
const listBytes = 125_000
/** How much later than its limit a client may be disconnected: connections are checked periodically. */
const graceMs = 10_000

/** A client that reads an answer at its own pace. */
interface Reader {
  /** Bytes of the answer so far, whether it ended completely, and whether the connection is gone. */
  readonly state: { bytes: number; isWhole: boolean; isGone: boolean }
  close(): void
}

const server = await startServerProcess({ store: "lmdb", options: ["--vendor=kubernetes"] })
await fill()
for (const protocol of ["h2", "http/1.1"] as const) await ask(protocol)
await server.stop()

/** Objects of 1 MB: as many as the list needs; stalled readers request the first. */
async function fill(): Promise<void> {
  const client = openHttp2Client(server)
  for (let index = 0; index < listObjects; index++) {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `large-${index}` }, data: { text: "x".repeat(1_000_000) } }
    const { status } = await client.send({ method: "POST", path, contentType: "application/json", body: Buffer.from(JSON.stringify(body)) })
    if (status !== 201) throw new Error(`a write was answered ${status}`)
  }
  client.close()
}

async function ask(protocol: "h2" | "http/1.1"): Promise<void> {
  const open = protocol === "h2" ? http2Readers() : http1Reader
  const restMb = residentMb(server)
  const startedMs = performance.now()
  const secondsSince = (): number => (performance.now() - startedMs) / 1000
  const one = `${path}/large-0`
  const silent = Array.from({ length: stalled }, () => open(one, 0))
  const moving = Array.from({ length: slow }, () => open(one, slowBytes))
  const list = open(path, listBytes)
  const limitMs = protocol === "h2" ? writeStallTimeoutMs : socketStallTimeoutMs
  // The kernel buffers an answer of 1 MB for a connection that reads nothing, and its client does not notice that the
  // server has ended it.
  const others = (): number => [...moving, list].filter(({ state }) => !state.isGone).length
  const countGone = (): number =>
    protocol === "h2" ? silent.filter(({ state }) => state.isGone).length : stalled - Math.max(0, openConnections() - others())
  await setTimeout(graceMs)
  while (countGone() < stalled && performance.now() - startedMs < limitMs + graceMs) await setTimeout(250)
  const goneSeconds = secondsSince()
  const gone = countGone()
  while (!list.state.isGone && secondsSince() < 300) await setTimeout(250)
  const listSeconds = secondsSince()
  printRow({
    protocol,
    stalled,
    gone,
    goneSeconds,
    slow,
    slowWhole: moving.filter(({ state }) => state.isWhole).length,
    slowCut: moving.filter(({ state }) => state.isGone && !state.isWhole).length,
    listMegabytes: list.state.bytes / 1e6,
    listSeconds,
    listIsWhole: list.state.isWhole,
    restMb,
    peakMb: peakMb(server),
  })
  for (const reader of [...silent, ...moving, list]) reader.close()
}

/** Number of the server's connections, as the kernel counts them. */
function openConnections(): number {
  const port = `:${server.port.toString(16).toUpperCase().padStart(4, "0")}`
  const lines = readFileSync("/proc/net/tcp", "latin1").split("\n")
  return lines.filter((line) => {
    const [, local = "", , state] = line.trim().split(/\s+/)
    return local.endsWith(port) && state === "01"
  }).length
}

/** HTTP/2 streams that take this many bytes per second, many on each connection. */
function http2Readers(): (asked: string, bytesPerSecond: number) => Reader {
  let count = 0
  let session: ReturnType<typeof connectHttp2> | undefined
  return (asked, bytesPerSecond) => {
    // Streams that take nothing share connections only with each other.
    if (session === undefined || bytesPerSecond > 0 || count++ % streamsPerConnection === 0) {
      session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: server.authority })
      session.on("error", () => undefined)
    }
    const used = session
    const stream = used.request({ ":path": asked, authorization: `Bearer ${server.token}` })
    const reader = paced(stream, bytesPerSecond)
    stream.on("end", () => (reader.state.isWhole = stream.rstCode === 0 && reader.state.bytes > 0))
    return { ...reader, close: () => used.destroy() }
  }
}

function http1Reader(asked: string, bytesPerSecond: number): Reader {
  const socket: TLSSocket = connectTls({ port: server.port, host: "127.0.0.1", ca: server.authority })
  socket.write(`GET ${asked} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`)
  const reader = paced(socket, bytesPerSecond)
  let tail = ""
  socket.on("data", (chunk: Buffer) => (tail = `${tail}${chunk.subarray(-8).toString("latin1")}`.slice(-8)))
  // An object has a Content-Length and ends with its last byte; a list ends with the last chunk.
  socket.on("end", () => (reader.state.isWhole = tail.endsWith("}\n") || tail.endsWith("0\r\n\r\n")))
  return { ...reader, close: () => socket.destroy() }
}

/** Reads this many bytes per second, in ten steps; nothing for 0. */
function paced(stream: ClientHttp2Stream | TLSSocket, bytesPerSecond: number): Omit<Reader, "close"> {
  const state = { bytes: 0, isWhole: false, isGone: false }
  let allowed = 0
  stream.on("error", () => undefined)
  stream.once("close", () => {
    state.isGone = true
    clearInterval(timer)
  })
  if (bytesPerSecond > 0)
    stream.on("data", (chunk: Buffer) => {
      state.bytes += chunk.length
      allowed -= chunk.length
      if (allowed <= 0) stream.pause()
    })
  stream.pause()
  const timer = setInterval(() => {
    if (bytesPerSecond === 0) return
    allowed = Math.min(allowed + bytesPerSecond / 10, bytesPerSecond)
    if (allowed > 0) stream.resume()
  }, 100)
  return { state }
}
