/**
 * Many watches that resume after a restart, over real connections. However much they missed, the server holds little
 * memory for clients that do not read; each client gets all events in order once it reads, and later events after them.
 * The full size is bench/resume.ts. Specification section 4.4.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { watchWaitingBytesMax, watchWriteBytes } from "../runtime/base/limits.ts"
import { createHttpClient, type HttpClient, type OpenAnswer, type Protocol } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

const collection = "/api/v1/namespaces/default/configmaps"
const watchers = 20
const objects = 20
const changes = 1000
const fillingBytes = 4096

let dir: string
let at: InProcess
/** The version before the changes. */
let start: string
/** Changes so far. */
let written = 0
const clients: HttpClient[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "resume-watch-"))
  at = await startInProcess({ store: "lmdb", dir, vendor: "orch" })
  const writer = connected("http2")
  for (let index = 0; index < objects; index++) start = await write(writer, { method: "POST", path: collection, index, count: -1 })
  writer.close()
  await writeAll(changes)
  await at.stop()
  at = await startInProcess({ store: "lmdb", dir, vendor: "orch" })
})

afterAll(async () => {
  for (const client of clients) client.close()
  await at.stop()
  await rm(dir, { recursive: true })
})

it.each<[Protocol]>([["http2"], ["http1"]])(
  "watches over %s that resume hold little while they do not read, and get everything",
  async (protocol) => {
    const answers: OpenAnswer[] = []
    for (let index = 0; index < watchers; index++) answers.push(await watch(protocol, index % 2 === 0 ? "" : "&labelSelector=half"))
    const plain = new Lines(await watch(protocol, ""))
    await plain.reach(written)
    const { waitingBytes } = at.server.parts.watches
    // Some of it is in the clients' windows, and over HTTP/1.1 all of it may be in the sockets' buffers.
    if (protocol === "http2") expect(waitingBytes).toBeGreaterThan((watchers * watchWaitingBytesMax) / 4)
    // Unread frames and one more piece; frames are longer than stored values.
    expect(waitingBytes).toBeLessThan(watchers * 2 * (watchWaitingBytesMax + watchWriteBytes))

    await writeAll(objects)
    const readers = answers.map((answer) => new Lines(answer))
    await Promise.all(readers.map((reader, index) => reader.reach(index % 2 === 0 ? written : written / 2)))
    await plain.reach(written)
    const versions = plain.events.map(({ version }) => version)
    expect(versions).toEqual([...versions].sort((left, right) => left - right))
    expect(new Set(plain.events.map(({ count }) => count)).size).toBe(written)
    for (const [index, reader] of readers.entries())
      expect(reader.events).toEqual(index % 2 === 0 ? plain.events : plain.events.filter(({ half }) => half))
    for (const reader of [plain, ...readers]) reader.close()
  },
)

interface Change {
  readonly version: number
  readonly count: number
  readonly half: boolean
}

/** A watch that reads its lines as they arrive. */
class Lines {
  readonly events: Change[] = []
  private rest = ""
  private isOver = false

  constructor(private readonly answer: OpenAnswer) {
    answer.body.setEncoding("utf8")
    answer.body.on("data", (chunk: string) => {
      const lines = (this.rest + chunk).split("\n")
      this.rest = lines.pop() ?? ""
      for (const line of lines) this.events.push(changeOf(line))
    })
    const end = (): void => {
      this.isOver = true
    }
    answer.body.on("end", end).on("error", end)
  }

  /** Waits for this many events, or the end of the stream. */
  async reach(count: number): Promise<void> {
    while (!this.isOver && this.events.length < count) await setImmediate()
    expect(this.events.length).toBe(count)
  }

  close(): void {
    this.answer.destroy()
  }
}

function changeOf(line: string): Change {
  const { metadata, data } = JSON.parse(line).object
  return { version: Number(metadata.resourceVersion), count: Number(data.count), half: "half" in metadata.labels }
}

function connected(protocol: Protocol): HttpClient {
  const client = createHttpClient({ protocol, port: at.port, authority: at.authority })
  clients.push(client)
  return client
}

async function watch(protocol: Protocol, query: string): Promise<OpenAnswer> {
  const headers = { authorization: `Bearer ${at.token}` }
  const answer = await connected(protocol).open({ method: "GET", path: `${collection}?watch=1&resourceVersion=${start}${query}`, headers })
  expect(answer.status).toBe(200)
  return answer
}

/** Changes the objects in turn, this many times altogether. */
async function writeAll(count: number): Promise<void> {
  const writer = connected("http2")
  for (const end = written + count; written < end; written += objects)
    await Promise.all(
      Array.from({ length: objects }, (_none, index) =>
        write(writer, { method: "PUT", path: `${collection}/object-${index}`, index, count: written + index }),
      ),
    )
  writer.close()
}

/** Returns the version of the object. */
async function write(client: HttpClient, change: { method: string; path: string; index: number; count: number }): Promise<string> {
  const { method, path, index, count } = change
  const labels = index % 2 === 0 ? { half: "" } : { other: "" }
  const metadata = { name: `object-${index}`, labels }
  const body = Buffer.from(JSON.stringify({ metadata, data: { count: String(count), filling: "x".repeat(fillingBytes) } }))
  const headers = { authorization: `Bearer ${at.token}`, "content-type": "application/json" }
  const answer = await client.send({ method, path, headers, body })
  expect(answer.status).toBeLessThan(300)
  return JSON.parse(answer.body.toString("utf8")).metadata.resourceVersion
}
