/**
 * What does a definition of 220 lines of schema cost until its kind is served, one at a time, and 1,000 at once? The
 * time from sending it to the first list of its objects, the server's CPU, the memory that it keeps (after garbage
 * collection), the start with all of them, and the longest turn of the event loop, also while clients ask for discovery
 * and OpenAPI. Goals: 5 ms, 200 KB, 10 s for 1,000, 3 s to start, turns of 50 ms.
 * Run: npm run bench -- definitions
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { inParallel } from "../runtime/base/in-parallel.ts"
import { type DefinitionClient, definitionsPath, openDefinitionClient } from "./support/definition-load.ts"
import { createHistogram } from "./support/histogram.ts"
import { openOptions } from "./support/options.ts"
import { cpuSeconds, memoryOf, type ServerProcess, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"
import { typicalKind } from "./support/typical-definition.ts"

const options = openOptions()
/** Definitions installed one after the other. */
const single = options.number("single", { small: 100, full: 300 })
/** Definitions installed by all clients at once. */
const many = options.number("many", { small: 300, full: 1000 })
const clients = options.number("clients", { small: 16, full: 16 })
const starts = options.number("starts", { small: 2, full: 5 })
options.done()

const goals = { servedMs: 5, memoryKb: 200, perThousandSeconds: 10, startMs: 3000, turnMs: 50 }
const serverOptions = ["--vendor=kubernetes"]
/** Numbers of definitions that prepare the server: the first ones pay for compilation of its code. */
const warmUps = 20
const first = 100_000

const dataDir = mkdtempSync(join(tmpdir(), "bench-definitions-"))
try {
  await measureSingle()
  await measureMany()
  await measureStarts()
} finally {
  rmSync(dataDir, { recursive: true })
}

async function measureSingle(): Promise<void> {
  const server = await startServerProcess({ store: "lmdb", options: serverOptions, reportsTurns: true })
  const client = await openDefinitionClient(server)
  for (let index = 0; index < warmUps; index++) await client.install(typicalKind(first + index))
  const times = createHistogram()
  const memory = await memoryNow(server)
  const cpu = cpuSeconds(server.pid)
  for (let index = 0; index < single; index++) times.record(await client.install(typicalKind(index)))
  const cpuMs = ((cpuSeconds(server.pid) - cpu) * 1000) / single
  printRow({
    asked: "one definition until served",
    count: single,
    p50Ms: times.percentile(0.5),
    p99Ms: times.percentile(0.99),
    cpuMs,
    goalMs: goals.servedMs,
    reached: times.percentile(0.5) < goals.servedMs,
  })
  tellMemory("established, listed once", memory, await memoryNow(server))
  for (let index = 0; index < single; index++) await createObjects(client, index)
  tellMemory("and with an object, validated and read as a Table", memory, await memoryNow(server))
  client.close()
  await server.stop()
}

/** Creates an object of the kind, so that the server makes everything that a kind needs. */
async function createObjects(client: DefinitionClient, index: number): Promise<void> {
  const { apiVersion, kind, path } = typicalKind(index)
  const spec = { image: "registry.example.com/web:1", ports: [{ port: 80 }] }
  await client.send("POST", path("default"), { document: { apiVersion, kind, metadata: { name: "one" }, spec } })
  await client.send("GET", path("default"), { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })
}

interface Memory {
  readonly inUse: number
  readonly anonMb: number
}

async function memoryNow(server: ServerProcess): Promise<Memory> {
  return { inUse: await server.bytesInUse(), anonMb: memoryOf(server).anonMb }
}

function tellMemory(state: string, before: Memory, after: Memory): void {
  const kilobytes = (after.inUse - before.inUse) / single / 1024
  printRow({
    memoryOf: `one definition, ${state}`,
    keptKb: kilobytes,
    residentKb: ((after.anonMb - before.anonMb) * 1024) / single,
    goalKb: goals.memoryKb,
    reached: kilobytes < goals.memoryKb,
  })
}

async function measureMany(): Promise<void> {
  const server = await startServerProcess({ store: "lmdb", dataDir, options: serverOptions, reportsTurns: true })
  const client = await openDefinitionClient(server)
  const work = await timed(server, () =>
    inParallel(Array.from({ length: many }).keys(), { atOnce: clients }, async (index) => {
      await client.install(typicalKind(index))
    }),
  )
  const [seconds, goalSeconds] = [work.ms / 1000, (goals.perThousandSeconds * many) / 1000]
  printRow({ definitions: many, clients, seconds, cpuSeconds: work.cpuMs / 1000, goalSeconds, reached: seconds < goalSeconds })
  tellTurns("all definitions at once", work)
  await measureDocuments(server, client)
  client.close()
  await server.stop()
}

async function measureDocuments(server: ServerProcess, client: DefinitionClient): Promise<void> {
  const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
  const asked: Readonly<Record<string, () => Promise<unknown>>> = {
    discovery: () => client.send("GET", "/apis"),
    "aggregated discovery": () => client.send("GET", "/apis", { accept: aggregated }),
    "OpenAPI v2": () => client.send("GET", "/openapi/v2"),
    "index of OpenAPI v3": () => client.send("GET", "/openapi/v3"),
    "OpenAPI v3 of a group": () => client.send("GET", "/openapi/v3/apis/operator-0.example.com/v1"),
  }
  for (const [name, ask] of Object.entries(asked)) tellTurns(`${name}, first`, await timed(server, ask))
  await client.install(typicalKind(first))
  for (const [name, ask] of Object.entries(asked)) tellTurns(`${name}, after a change`, await timed(server, ask))
  const list = (): Promise<unknown> => client.send("GET", definitionsPath)
  tellTurns("list of the definitions", await timed(server, list))
}

async function timed(server: ServerProcess, ask: () => Promise<unknown>): Promise<Work> {
  const cpu = cpuSeconds(server.pid)
  const started = performance.now()
  const turns = await server.longestTurns(ask)
  return { ms: performance.now() - started, cpuMs: (cpuSeconds(server.pid) - cpu) * 1000, turns }
}

interface Work {
  readonly ms: number
  readonly cpuMs: number
  readonly turns: readonly number[]
}

function tellTurns(during: string, { ms, cpuMs, turns }: Work): void {
  const [longestTurnMs = 0, secondMs = 0] = turns
  const reached = longestTurnMs < goals.turnMs
  printRow({ during, definitions: many, ms, cpuMs, longestTurnMs, secondMs, goalMs: goals.turnMs, reached })
}

/** Starts with all definitions in the store; the server is ready when all of them are served. */
async function measureStarts(): Promise<void> {
  for (let start = 1; start <= starts; start++) {
    const started = performance.now()
    const server = await startServerProcess({ store: "lmdb", dataDir, options: serverOptions })
    const client = await openDefinitionClient(server)
    while (!(await client.isReady())) await wait(5)
    const readyMs = performance.now() - started
    await client.send("GET", typicalKind(many - 1).path(""))
    printRow({
      start,
      definitions: many,
      readyMs,
      cpuMs: cpuSeconds(server.pid) * 1000,
      goalMs: goals.startMs,
      reached: readyMs < goals.startMs,
      anonMb: memoryOf(server).anonMb,
    })
    client.close()
    await server.stop()
  }
}
