/**
 * Promises 1 and 3 for the whole server: 32 writers over HTTP, SIGKILL at a random moment, a restart on the same store,
 * and a watch that resumes. Once for a built-in kind, and once for a kind whose definition changes all the time.
 * `DURABILITY_ROUNDS` and `DURABILITY_ETCD_ROUNDS` set the number of rounds (about four seconds each),
 * `DURABILITY_WRITES` the maximum number of writes before a kill.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { expect, it, onTestFinished } from "vitest"
import { verifyLmdb } from "../../runtime/storage/lmdb/backup.ts"
import { storeFolder } from "../../runtime/launch/data-dir.ts"
import { type EtcdBinary, forNewestEtcd, startEtcd } from "../support/etcd.ts"
import { createHttpClient, type HttpClient } from "../support/http-client.ts"
import { testSeed } from "../support/seed.ts"
import { freePort, type ServerProcess, startServerProcess } from "./server-process.ts"
import { signal } from "./signal.ts"
import { type Attempt, historyFaults, stateAfter, type WatchedEvent } from "./write-history.ts"

const seed = testSeed()
const writers = 32
const acknowledgementsMax = Number(process.env.DURABILITY_WRITES ?? 3000)
/** Rounds between two progress reports of a long run. */
const progressRounds = 10

/** The kind of the written objects: they have a map of texts, `data`. */
interface WrittenKind {
  readonly apiVersion: string
  readonly kind: string
  readonly collection: string
  /** Request that changes an object without its version. */
  readonly update: { readonly method: "PATCH" | "PUT"; readonly contentType: string }
  /** Called with the first server. */
  define?(server: ServerProcess): Promise<void>
  /** Called again and again while objects are written; `turn` counts from 1. Rejects when the server is gone. */
  change?(client: HttpClient, server: ServerProcess, turn: number): Promise<void>
  /** Called after each restart, with the last turn whose change was acknowledged. */
  verify?(server: ServerProcess, turn: number): Promise<void>
}

const configMaps: WrittenKind = {
  apiVersion: "v1",
  kind: "ConfigMap",
  collection: "/api/v1/namespaces/default/configmaps",
  update: { method: "PUT", contentType: "application/json" },
}

const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions"

/** Each turn changes the schema of both versions, and moves the storage from one to the other. */
const customObjects: WrittenKind = {
  apiVersion: "durable.example.com/v1",
  kind: "Note",
  collection: "/apis/durable.example.com/v1/namespaces/default/notes",
  update: { method: "PATCH", contentType: "application/merge-patch+json" },
  async define(server) {
    const client = server.connect()
    const post = (body: Buffer) => client.send({ method: "POST", path: definitions, headers: headersOf(server), body })
    expect((await post(definition(0))).status).toBe(201)
    // The kind is served a moment later.
    for (let status = 404; status !== 200; )
      ({ status } = await client.send({ method: "GET", path: this.collection, headers: headersOf(server) }))
    client.close()
  },
  async change(client, server, turn) {
    const path = `${definitions}/notes.durable.example.com?fieldManager=churn&force=true`
    const headers = { ...headersOf(server), "content-type": "application/apply-patch+yaml" }
    const { status, body } = await client.send({ method: "PATCH", path, headers, body: definition(turn) })
    expect(status, body.toString()).toBe(200)
  },
  async verify(server, turn) {
    const client = server.connect()
    const path = `${definitions}/notes.durable.example.com`
    const { body } = await client.send({ method: "GET", path, headers: headersOf(server) })
    client.close()
    const { metadata }: { metadata: { labels?: { turn?: string } } } = JSON.parse(body.toString())
    expect(Number(metadata.labels?.turn)).toBeGreaterThanOrEqual(turn)
  },
}

function definition(turn: number): Buffer {
  const properties = {
    data: { type: "object", additionalProperties: { type: "string" } },
    [`turn-${turn}`]: { type: "integer", default: turn },
  }
  const version = (name: string, storage: boolean): object => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: "object", properties } },
  })
  return Buffer.from(
    JSON.stringify({
      apiVersion: "apiextensions.orch.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "notes.durable.example.com", labels: { turn: `${turn}` } },
      spec: {
        group: "durable.example.com",
        scope: "Namespaced",
        names: { plural: "notes", kind: "Note" },
        versions: [version("v1", turn % 2 === 0), version("v2", turn % 2 === 1)],
      },
    }),
  )
}

/** The store of the server that the test kills. */
interface KillPlace {
  readonly flags: readonly string[]
  /** Called while no server runs. */
  verify(): Promise<unknown>
  dispose(): Promise<void>
}

interface Driver {
  readonly driver: string
  readonly rounds: number
  readonly customRounds: number
  readonly open: (dataDir: string) => Promise<KillPlace>
}

const lmdb: Driver = {
  driver: "lmdb",
  rounds: Number(process.env.DURABILITY_ROUNDS ?? 3),
  customRounds: Number(process.env.DURABILITY_ROUNDS ?? 1),
  open: (dataDir) => Promise.resolve({ flags: [], verify: () => verifyLmdb(storeFolder(dataDir)), dispose: () => Promise.resolve() }),
}

const etcdDriver = (binary: EtcdBinary): Driver => ({
  driver: "etcd",
  rounds: Number(process.env.DURABILITY_ETCD_ROUNDS ?? 2),
  customRounds: Number(process.env.DURABILITY_ETCD_ROUNDS ?? 1),
  async open() {
    const etcd = await startEtcd(binary)
    return { flags: [`--store-servers=${etcd.url}`], verify: () => Promise.resolve(), dispose: () => etcd.dispose() }
  },
})

killsLoseNothing(lmdb)
forNewestEtcd((binary) => killsLoseNothing(etcdDriver(binary)))

function killsLoseNothing(driver: Driver): void {
  for (const [kind, rounds] of [
    [configMaps, driver.rounds],
    [customObjects, driver.customRounds],
  ] as const) {
    const title = `${driver.driver}: no acknowledged write of a ${kind.kind} is lost, and no event, in ${rounds} kills`
    it(title, { timeout: 60_000 + rounds * 40_000 }, () => killAgainAndAgain(driver, kind, rounds))
  }
}

async function killAgainAndAgain({ driver, open }: Driver, kind: WrittenKind, rounds: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "durability-"))
  const place = await open(dataDir)
  const port = await freePort()
  const attempts: Attempt[] = []
  const watch = resumingWatch(kind)
  let turn = 0
  let running: ServerProcess | undefined
  async function start(): Promise<ServerProcess> {
    running = await startServerProcess({ dataDir, port, flags: ["--logging-format=text", ...place.flags] })
    return running
  }
  onTestFinished(async () => {
    await running?.process.end("SIGKILL")
    await place.dispose()
    await rm(dataDir, { recursive: true })
  })
  async function check(server: ServerProcess, value: string): Promise<Map<string, string>> {
    await kind.verify?.(server, turn)
    await catchUp(server, { kind, watch, value })
    expect(historyFaults(attempts, watch.events)).toEqual([])
    const state = await readState(server, kind)
    expect(state).toEqual(stateAfter(watch.events))
    return state
  }
  function report(kills: number): void {
    const acknowledged = attempts.filter((attempt) => attempt.acknowledged !== undefined).length
    const unknown = attempts.length - acknowledged
    process.stdout.write(
      `durability on ${driver}: ${kills} kills, ${acknowledged} acknowledged writes, ${unknown} of unknown outcome, ${watch.events.length} events seen\n`,
    )
  }
  for (let round = 0; round < rounds; round++) {
    const server = await start()
    if (round === 0) await kind.define?.(server)
    const state = await check(server, `${round}`)
    const killAfter = (seed + round * 7919) % acknowledgementsMax
    const written = await writeUntilKilled(server, { kind, round, killAfter, turn, there: new Set(state.keys()) })
    attempts.push(...written.attempts)
    turn = written.turn
    await watch.ended()
    await place.verify()
    if ((round + 1) % progressRounds === 0) report(round + 1)
  }
  const server = await start()
  await check(server, "last")
  await server.process.end()
  report(rounds)
}

function headersOf({ token }: ServerProcess): Record<string, string> {
  return { authorization: `Bearer ${token}`, "content-type": "application/json" }
}

interface WrittenObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
  readonly data?: { readonly value?: string }
}

/** One watch across all servers: it resumes where it ended or broke off, as clients do. */
interface ResumingWatch {
  /** The events of the writers' objects. */
  readonly events: WatchedEvent[]
  /** Resolves once the watch has received this version. */
  until(resourceVersion: string): Promise<void>
  open(server: ServerProcess): Promise<void>
  /** Called after the kill: resolves when the connection is closed. */
  ended(): Promise<void>
}

function resumingWatch({ collection }: WrittenKind): ResumingWatch {
  const events: WatchedEvent[] = []
  const seen = signal()
  let last = "1"
  let reading: Promise<unknown> = Promise.resolve()
  function take(line: string): void {
    const { type, object }: { type: string; object: WrittenObject } = JSON.parse(line)
    if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") throw new Error(`the watch after ${last} was sent ${line}`)
    last = object.metadata.resourceVersion
    if (object.metadata.name !== "marker")
      events.push({ type, object: object.metadata.name, value: object.data?.value, resourceVersion: last })
    seen.raise()
  }
  return {
    events,
    until: (resourceVersion) => seen.until(() => BigInt(last) >= BigInt(resourceVersion)),
    async ended() {
      const error = await reading
      if (error !== undefined && !isBroken(error)) throw error
    },
    async open(server) {
      reading = readOn(server, await openWatch(server))
    },
  }

  async function openWatch(server: ServerProcess): Promise<Readable> {
    const client = server.connect()
    const path = `${collection}?watch=true&resourceVersion=${last}`
    const { status, body } = await client.open({ method: "GET", path, headers: headersOf(server) })
    expect(status).toBe(200)
    return body.once("close", () => client.close())
  }

  /** Continues a watch that the server may end while it catches up. Each event must then arrive once. */
  async function readOn(server: ServerProcess, first: Readable): Promise<unknown> {
    try {
      for (let body = first; ; body = await openWatch(server)) {
        const error = await readLines(body, take)
        if (error !== undefined) return error
      }
    } catch (error) {
      return error
    }
  }
}

/** Resolves at the end, with the error if there was one. A truncated line does not count. */
async function readLines(body: Readable, take: (line: string) => void): Promise<unknown> {
  try {
    for await (const line of createInterface({ input: body })) if (line.endsWith("}")) take(line)
    return undefined
  } catch (error) {
    return error
  }
}

/** Whether the error comes from a connection to a killed server, and not from the test itself. */
function isBroken(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && ("code" in error || /closed|hang up|aborted/.test(error.message)))
}

interface Marker {
  readonly kind: WrittenKind
  readonly watch: ResumingWatch
  readonly value: string
}

/** Resumes the watch and waits for an event of a new write: by then it has received everything before. */
async function catchUp(server: ServerProcess, { kind, watch, value }: Marker): Promise<void> {
  const { collection } = kind
  await watch.open(server)
  const client = server.connect()
  const body = written(kind, "marker", value)
  const headers = { ...headersOf(server), "content-type": kind.update.contentType }
  const updated = await client.send({ method: kind.update.method, path: `${collection}/marker`, headers, body })
  const { status, body: answer } =
    updated.status === 404 ? await client.send({ method: "POST", path: collection, headers: headersOf(server), body }) : updated
  expect([200, 201], answer.toString()).toContain(status)
  const marked: WrittenObject = JSON.parse(answer.toString())
  await watch.until(marked.metadata.resourceVersion)
  client.close()
}

/** The writers' objects, from a consistent read. */
async function readState(server: ServerProcess, { collection }: WrittenKind): Promise<Map<string, string>> {
  const client = server.connect()
  const { body } = await client.send({ method: "GET", path: collection, headers: headersOf(server) })
  client.close()
  const { items }: { items: WrittenObject[] } = JSON.parse(body.toString())
  return new Map(items.filter(({ metadata }) => metadata.name !== "marker").map(({ metadata, data }) => [metadata.name, data?.value ?? ""]))
}

function written({ apiVersion, kind }: WrittenKind, name: string, value: string): Buffer {
  return Buffer.from(JSON.stringify({ apiVersion, kind, metadata: { name }, data: { value } }))
}

interface Round {
  readonly kind: WrittenKind
  readonly round: number
  /** Acknowledgements to wait for before the kill. */
  readonly killAfter: number
  /** The last change of the definition. */
  readonly turn: number
  /** Existing objects; maintained by their writers. */
  readonly there: Set<string>
}

/** Half of the writers use HTTP/2, half HTTP/1.1, each over its own connection. */
async function writeUntilKilled(server: ServerProcess, round: Round): Promise<{ attempts: Attempt[]; turn: number }> {
  const attempts: Attempt[] = []
  const { kind } = round
  let heard = 0
  let { turn } = round
  let killed = false
  async function changeKind(): Promise<void> {
    if (kind.change === undefined) return
    const client = server.connect()
    try {
      for (;;) {
        await kind.change(client, server, turn + 1)
        turn++
      }
    } catch (error) {
      if (!killed || !isBroken(error)) throw error
    } finally {
      client.close()
    }
  }
  async function writeOn(writer: number): Promise<void> {
    const client = createHttpClient({ protocol: writer % 2 === 0 ? "http2" : "http1", port: server.port, authority: server.authority })
    try {
      for (let turn = 0; ; turn++) {
        await writeOnce({ client, server, round, writer, turn, attempts })
        if (heard++ !== round.killAfter) continue
        killed = true
        await server.process.end("SIGKILL")
      }
    } catch (error) {
      if (!killed || !isBroken(error)) throw error
    } finally {
      client.close()
    }
  }
  await Promise.all([changeKind(), ...Array.from({ length: writers }, (_, writer) => writeOn(writer))])
  return { attempts, turn }
}

interface Turn {
  readonly client: HttpClient
  readonly server: ServerProcess
  readonly round: Round
  readonly writer: number
  readonly turn: number
  readonly attempts: Attempt[]
}

/** Rejects when the server is gone; the result of the attempt is then unknown. */
async function writeOnce({ client, server, round: { kind, round, there }, writer, turn, attempts }: Turn): Promise<void> {
  const object = `writer-${writer}-${turn % 4}`
  // Values of many sizes, so that some take pages of their own.
  const value = there.has(object) && turn % 7 === 6 ? undefined : `${round}-${writer}-${turn} ${"x".repeat((turn * 131) % 12_000)}`
  const method = value === undefined ? "DELETE" : there.has(object) ? kind.update.method : "POST"
  const attempt: Attempt = { object, value }
  attempts.push(attempt)
  const path = method === "POST" ? kind.collection : `${kind.collection}/${object}`
  const answer = await client.send({
    method,
    path,
    headers: { ...headersOf(server), ...(there.has(object) && { "content-type": kind.update.contentType }) },
    ...(value !== undefined && { body: written(kind, object, value) }),
  })
  if (answer.status >= 300) expect.fail(`${method} ${object} was answered ${answer.status}: ${answer.body.toString()}`)
  const answered: WrittenObject = JSON.parse(answer.body.toString())
  attempt.acknowledged = { resourceVersion: value === undefined ? undefined : answered.metadata.resourceVersion }
  if (value === undefined) there.delete(object)
  else there.add(object)
}
