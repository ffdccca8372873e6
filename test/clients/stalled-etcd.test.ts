/**
 * Promise 8 with an etcd that is suspended (SIGSTOP): writes and consistent reads get a Status in time, reads from the
 * cache continue, the readiness check reports it, and everything recovers by itself, including the watch.
 * `STALL_SECONDS` makes the stall longer.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { HttpAnswer, HttpClient } from "../support/http-client.ts"
import { type EtcdServer, forNewestEtcd, startEtcd } from "../support/etcd.ts"
import { freePort, type ServerProcess, startServerProcess } from "./server-process.ts"
import { signal } from "./signal.ts"

const stallSeconds = Number(process.env.STALL_SECONDS ?? 0)
const collection = "/api/v1/namespaces/default/configmaps"
let etcd: EtcdServer
let server: ServerProcess
let client: HttpClient
let dataDir: string

function ask(method: string, path: string, body?: object): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" }
  return client.send({ method, path, headers, ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }) })
}

const create = (name: string): Promise<HttpAnswer> => ask("POST", collection, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } })

interface Status {
  readonly kind: string
  readonly reason?: string
  readonly message?: string
  readonly code?: number
}

const statusOf = ({ body }: HttpAnswer): Status => JSON.parse(body.toString())

/** Names of the objects in a watch's events, in order. */
async function watchNames(): Promise<{ names: string[]; until(name: string): Promise<void> }> {
  const names: string[] = []
  const seen = signal()
  const { body } = await client.open({
    method: "GET",
    path: `${collection}?watch=true&timeoutSeconds=600`,
    headers: { authorization: `Bearer ${server.token}` },
  })
  const lines = createInterface({ input: body })
  lines.on("line", (line) => {
    const { object, type }: { type: string; object: { metadata: { name: string } } } = JSON.parse(line)
    names.push(type === "ERROR" ? line : object.metadata.name)
    seen.raise()
  })
  return { names, until: (name) => seen.until(() => names.includes(name)) }
}

forNewestEtcd((binary) => {
  beforeAll(async () => {
    etcd = await startEtcd(binary)
    dataDir = await mkdtemp(join(tmpdir(), "stalled-etcd-"))
    server = await startServerProcess({ dataDir, port: await freePort(), flags: [`--store-servers=${etcd.url}`, "--request-timeout=5s"] })
    client = server.connect()
  })
  afterAll(async () => {
    client.close()
    await server.process.end("SIGKILL")
    await etcd.dispose()
    await rm(dataDir, { recursive: true })
  })

  it("answers with a Status in time while etcd is suspended, and continues afterwards", {
    timeout: 120_000 + stallSeconds * 2000,
  }, async () => {
    expect((await create("before")).status).toBe(201)
    const watch = await watchNames()
    await watch.until("before")
    await etcd.kill("SIGSTOP")
    const stoppedAtMs = performance.now()
    const [write, read, cached] = await Promise.all([
      create("meanwhile"),
      ask("GET", collection),
      ask("GET", `${collection}?resourceVersion=0`),
    ])
    for (const answer of [write, read]) expect(statusOf(answer)).toMatchObject({ kind: "Status", reason: "Timeout", code: 504 })
    expect(cached.status).toBe(200)
    const ready = await ask("GET", "/readyz?verbose")
    expect([ready.status, ready.body.toString()]).toEqual([500, expect.stringContaining("[-]etcd failed: etcd did not answer in time")])
    for (let more = 0; performance.now() - stoppedAtMs < stallSeconds * 1000; more++)
      expect(statusOf(await create(`more-${more}`))).toMatchObject({ kind: "Status", code: 504 })

    await etcd.kill("SIGCONT")
    // May be refused again, or exist already: a write that got 504 may have happened.
    while (![201, 409].includes((await create("after")).status));
    await watch.until("after")
    while ((await ask("GET", "/readyz")).status !== 200);
    const { items }: { items: { metadata: { name: string } }[] } = JSON.parse((await ask("GET", collection)).body.toString())
    expect(watch.names.toSorted()).toEqual(items.map(({ metadata }) => metadata.name))
  })
})
