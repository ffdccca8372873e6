/**
 * Pages of lists during writes, over HTTP and on both embedded stores (specification 4.5). However the requests
 * interleave, all pages of a list show the state that a watch from the beginning has seen at the version that the pages
 * report.
 */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createHttpClient, type HttpClient, readAll } from "./support/http-client.ts"
import { type InProcess, type StoreName, startInProcess } from "./support/in-process.ts"

const runs = Number(process.env.CONCURRENT_PAGES_RUNS ?? 15)

interface Shown {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly labels?: { readonly side?: string } }
}

interface List {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number }
  readonly items: readonly Shown[]
}

interface WatchEvent {
  readonly type: string
  readonly object: Shown
}

/** The writes of one client, which it repeats while the list is read. */
const write = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("put" as const), name: fc.nat(30), side: fc.constantFrom("left", "right") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), name: fc.nat(30) }) },
)
const scene = fc.record({
  before: fc.array(write, { maxLength: 30 }),
  writers: fc.array(fc.array(write, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 4 }),
  limit: fc.integer({ min: 1, max: 7 }),
  selector: fc.constantFrom("", "&labelSelector=side%3Dleft"),
  start: fc.constantFrom("", "&resourceVersion=0", "&resourceVersion=1&resourceVersionMatch=NotOlderThan"),
})

type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never
type Write = typeof write extends fc.Arbitrary<infer Value> ? Value : never

describe.each<StoreName>(["memory", "lmdb"])("pages on %s", (store) => {
  let at: InProcess
  let client: HttpClient
  let count = 0
  let overlapping = 0

  beforeAll(async () => {
    at = await startInProcess({ store, vendor: "orch" })
    client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
  })

  afterAll(async () => {
    client.close()
    await at.stop()
  })

  it("show one state during concurrent writes", async () => {
    await fc.assert(fc.asyncProperty(scene, showsOneState), { numRuns: runs })
    // The random runs did interleave.
    expect(overlapping).toBeGreaterThan(0)
  })

  async function showsOneState({ before, writers, limit, selector, start }: Scene): Promise<void> {
    const namespace = `run-${count++}`
    const begin = await send("POST", "/api/v1/namespaces", { metadata: { name: namespace } })
    const collection = `/api/v1/namespaces/${namespace}/configmaps`
    const watched = await client.open({
      method: "GET",
      path: `${collection}?watch=1&resourceVersion=${begin.metadata.resourceVersion}&timeoutSeconds=60`,
      headers: { authorization: `Bearer ${at.token}` },
    })
    for (const each of before) await change(collection, each)
    let reading = true
    const writing = writers.map(async (writes) => {
      for (let turn = 0; reading; turn++) for (const each of writes) if (reading) await change(collection, each, turn)
    })
    const pages = await readPages(`${collection}?limit=${limit}${selector}`, start)
    reading = false
    await Promise.all(writing)
    // The watch ends by time alone, so its end comes after all writes.
    at.clock.advance(61_000)
    const events = (await readAll(watched.body))
      .toString()
      .split("\n")
      .filter((line) => line !== "")
    const [first] = pages
    const version = Number(first?.metadata.resourceVersion)
    if (events.some((line) => versionOf(JSON.parse(line).object) > version)) overlapping++
    for (const { metadata } of pages) expect(metadata.resourceVersion).toBe(first?.metadata.resourceVersion)
    const items = pages.flatMap((page) => page.items)
    const matches = ({ metadata }: Shown): boolean => selector === "" || metadata.labels?.side === "left"
    expect(items.map(identity)).toEqual(stateAt(events, version).filter(matches).map(identity))
    for (const [index, page] of pages.entries()) {
      expect(page.items.length).toBe(index === pages.length - 1 ? items.length - limit * index : limit)
      if (selector === "") expect(page.metadata.remainingItemCount ?? 0).toBe(Math.max(0, items.length - limit * (index + 1)))
    }
  }

  async function readPages(path: string, start: string): Promise<List[]> {
    const pages: List[] = []
    for (let next = start; ; ) {
      const page: List = await send("GET", path + next)
      pages.push(page)
      const token = page.metadata.continue ?? ""
      if (token === "") return pages
      next = `&continue=${encodeURIComponent(token)}`
    }
  }

  async function change(collection: string, each: Write, turn = 0): Promise<void> {
    const name = `object-${each.name}`
    if (each.do === "delete") return void (await request("DELETE", `${collection}/${name}`))
    const body = { metadata: { name, labels: { side: each.side } }, data: { turn: String(turn) } }
    const { status } = await request("PUT", `${collection}/${name}`, body)
    if (status === 404) await request("POST", collection, body)
  }

  async function request(method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${at.token}`, ...(body !== undefined && { "content-type": "application/json" }) }
    const answer = await client.send({ method, path, headers, ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }) })
    expect(answer.status).toBeLessThan(500)
    return answer
  }

  async function send(method: string, path: string, body?: object) {
    const answer = await request(method, path, body)
    expect(answer.status, answer.body.toString()).toBeLessThan(300)
    return JSON.parse(answer.body.toString())
  }
})

function versionOf({ metadata }: Shown): number {
  return Number(metadata.resourceVersion)
}

function identity({ metadata }: Shown): string {
  return `${metadata.name}@${metadata.resourceVersion}`
}

/** The objects at a version, by name. */
function stateAt(lines: readonly string[], version: number): Shown[] {
  const objects = new Map<string, Shown>()
  for (const line of lines) {
    const { type, object }: WatchEvent = JSON.parse(line)
    if (versionOf(object) > version) continue
    if (type === "DELETED") objects.delete(object.metadata.name)
    else objects.set(object.metadata.name, object)
  }
  return [...objects.values()].sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))
}
