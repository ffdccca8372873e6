/**
 * A client that opens a watch and does not read it: the server bounds the memory for it and ends its stream after a
 * complete event, other clients are not affected, and it resumes from its last event without missing one. Specification
 * section 4.4.2; design promises 3 and 5.
 */
import { setImmediate } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { watchQueueBytesMax } from "../runtime/base/limits.ts"
import { createHttpClient, type HttpClient, type OpenAnswer, type Protocol, readAll } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

const objectBytes = 100 * 1024
/** More changes than the queue and the sockets' buffers can hold. */
const changes = Math.ceil((3 * watchQueueBytesMax) / objectBytes)
const collection = "/api/v1/namespaces/default/configmaps"

let at: InProcess
const clients: HttpClient[] = []

beforeAll(async () => {
  at = await startInProcess({ store: "memory", vendor: "orch" })
})

afterAll(async () => {
  for (const client of clients) client.close()
  await at.stop()
})

it.each<[Protocol]>([["http1"], ["http2"]])("a watch over %s that is not read is ended, and resumes", async (protocol) => {
  const name = `slow-${protocol}`
  const writer = connected(protocol)
  const start = await write(writer, { method: "POST", path: collection, name, count: 0 })
  const reading = new Reading(await watch(connected(protocol), { name, resourceVersion: start }))
  const slow = connected(protocol)
  const idle = await watch(slow, { name, resourceVersion: start })
  for (let count = 1; count <= changes; count++) await write(writer, { method: "PUT", path: `${collection}/${name}`, name, count })

  await reading.until(changes)
  let received = eventsOf(await readAll(idle.body))
  expect(received.length, "the slow watch was ended before all was sent").toBeLessThan(changes)
  while (received.length < changes) {
    const resumed = new Reading(await watch(slow, { name, resourceVersion: received.at(-1)?.resourceVersion ?? start }))
    await resumed.until(changes - received.length)
    received = [...received, ...resumed.events]
  }
  const everyChange = Array.from({ length: changes }, (_none, index) => index + 1)
  expect(received.map(({ count }) => count)).toEqual(everyChange)
  expect(reading.events.map(({ count }) => count)).toEqual(everyChange)
})

it.each<[Protocol]>([["http1"], ["http2"]])(
  "a watch that missed more than may be queued gets all of it over %s, and what follows",
  async (protocol) => {
    const name = `late-${protocol}`
    const writer = connected(protocol)
    const start = await write(writer, { method: "POST", path: collection, name, count: 0 })
    for (let count = 1; count <= changes; count++) await write(writer, { method: "PUT", path: `${collection}/${name}`, name, count })
    const late = new Reading(await watch(connected(protocol), { name, resourceVersion: start }))
    await late.seen(changes)
    await write(writer, { method: "PUT", path: `${collection}/${name}`, name, count: changes + 1 })
    await late.until(changes + 1)
    expect(late.events.length).toBe(changes + 1)
  },
)

it.each<[Protocol]>([["http1"], ["http2"]])(
  "initial events of more than may be queued arrive completely over %s, and what follows them",
  async (protocol) => {
    const client = connected(protocol)
    const namespace = `initial-${protocol}`
    const objects = `/api/v1/namespaces/${namespace}/configmaps`
    await write(client, { method: "POST", path: "/api/v1/namespaces", name: namespace, count: 0 })
    const names = Array.from({ length: changes }, (_none, index) => `object-${String(index + 1).padStart(3, "0")}`)
    for (const [index, name] of names.entries()) await write(client, { method: "POST", path: objects, name, count: index + 1 })
    const answer = await connected(protocol).open({
      method: "GET",
      path: `${objects}?watch=1`,
      headers: { authorization: `Bearer ${at.token}` },
    })
    const reading = new Reading(answer)
    await write(client, { method: "POST", path: objects, name: "one-more", count: changes + 1 })
    await reading.until(changes + 1)
    expect(reading.events.map(({ count }) => count)).toEqual(Array.from({ length: changes + 1 }, (_none, index) => index + 1))
  },
)

interface SeenChange {
  readonly count: number
  readonly resourceVersion: string
}

/** A watch that reads its events as they arrive. */
class Reading {
  private text = ""
  private lines = 0
  private over = false

  constructor(private readonly answer: OpenAnswer) {
    const end = (): void => {
      this.over = true
    }
    answer.body.setEncoding("utf8")
    answer.body.on("data", (chunk: string) => {
      this.text += chunk
      this.lines += chunk.split("\n").length - 1
    })
    answer.body.on("end", end).on("error", end)
  }

  get events(): SeenChange[] {
    return eventsOf(Buffer.from(this.text.slice(0, this.text.lastIndexOf("\n") + 1)))
  }

  /** Waits for this many events, or the end of the stream. */
  async seen(count: number): Promise<void> {
    while (!this.over && this.lines < count) await setImmediate()
  }

  /** Same as `seen`, and closes the stream. */
  async until(count: number): Promise<void> {
    await this.seen(count)
    this.answer.destroy()
  }
}

function connected(protocol: Protocol): HttpClient {
  const client = createHttpClient({ protocol, port: at.port, authority: at.authority })
  clients.push(client)
  return client
}

async function watch(client: HttpClient, from: { name: string; resourceVersion: string }): Promise<OpenAnswer> {
  const path = `${collection}?watch=1&resourceVersion=${from.resourceVersion}&fieldSelector=metadata.name%3D${from.name}`
  const answer = await client.open({ method: "GET", path, headers: { authorization: `Bearer ${at.token}` } })
  expect(answer.status).toBe(200)
  return answer
}

/** Writes the object again; returns its version. */
async function write(client: HttpClient, change: { method: string; path: string; name: string; count: number }): Promise<string> {
  const { method, path, name, count } = change
  const body = Buffer.from(JSON.stringify({ metadata: { name }, data: { count: String(count), filling: "x".repeat(objectBytes) } }))
  const answer = await client.send({
    method,
    path,
    headers: { authorization: `Bearer ${at.token}`, "content-type": "application/json" },
    body,
  })
  expect(answer.status).toBeLessThan(300)
  return JSON.parse(answer.body.toString("utf8")).metadata.resourceVersion
}

/** The events of a watch; a truncated line does not parse. */
function eventsOf(bytes: Buffer): SeenChange[] {
  const lines = bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
  return lines.map((line) => {
    const { object } = JSON.parse(line)
    return { count: Number(object.data.count), resourceVersion: object.metadata.resourceVersion }
  })
}
