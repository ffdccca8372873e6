/**
 * How long does a client that gets one object wait while another one lists, sorts, selects and watches 300,000
 * ConfigMaps and 30,000 Pods, in every media type, one request after the other? The goal is less than 60 ms for 999 of
 * 1,000 gets.
 * Run: npm run bench -- pauses
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { configMapsIn, createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import { createHistogram, type Histogram } from "./support/histogram.ts"
import { openHttp2Client } from "./support/http2-client.ts"
import { measured, openLoad } from "./support/load.ts"
import type { RequestPlan } from "./support/load-plans.ts"
import { openOptions } from "./support/options.ts"
import { memoryOf, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const objects = options.number("objects", { small: 10_000, full: 300_000 })
const pods = options.number("pods", { small: 1000, full: 30_000 })
const bytes = options.number("bytes", { small: 1024, full: 1024 })
const rounds = options.number("rounds", { small: 2, full: 3 })
/** Gets continue for this long even if the phase ends sooner. */
const seconds = options.number("seconds", { small: 1, full: 3 })
/** Only phases whose names contain this word; all phases when it is empty. */
const only = options.word("only", "")
options.done()

const goalMs = 60
const nodes = 100
/** Number of page requests in a phase with pages. */
const pagesAsked = 10

interface Phase extends Pick<RequestPlan, "accept" | "acceptEncoding" | "pages" | "count"> {
  readonly name: string
  readonly query?: string
}

const partial = "as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
const compact = "application/vnd.kubernetes.protobuf"

/** Requests for both collections. Compact lists run before JSON has been requested, and after it. */
const forms: readonly Phase[] = [
  { name: "compact, before JSON", accept: compact },
  { name: "partial compact, before JSON", accept: `${compact};${partial}` },
  { name: "first JSON", count: 1 },
  { name: "JSON" },
  { name: "JSON, gzip", acceptEncoding: "gzip" },
  { name: "JSON, pretty", query: "pretty=true" },
  { name: "JSON, pages of 500", query: "limit=500", pages: true, count: pagesAsked },
  { name: "compact", accept: compact },
  { name: "compact, pages of 500", accept: compact, query: "limit=500", count: pagesAsked },
  { name: "partial JSON", accept: `application/json;${partial}` },
  { name: "partial compact", accept: `${compact};${partial}` },
  { name: "Table", accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  { name: "YAML", accept: "application/yaml", count: 1 },
  { name: "first label", query: "labelSelector=share%3Ds1", count: 1 },
  { name: "label", query: "labelSelector=share%3Ds1" },
  { name: "without label", query: "labelSelector=!nobody" },
  { name: "label in", query: `labelSelector=share+in+(${Array.from({ length: 50 }, (_, index) => `s${index}`).join(",")})` },
  { name: "field", query: "fieldSelector=metadata.namespace!%3Dnowhere" },
  { name: "extended field", query: "fieldSelectorSyntax=extended&fieldSelector=.metadata.uid%3Dnone" },
  { name: "count by label", query: "count=true&labelSelector=app!%3Dnone" },
  { name: "sorted, first page", query: "sortBy=.metadata.uid&limit=500" },
  { name: "sorted, pages of 500", query: "sortBy=.metadata.uid&limit=500", pages: true, count: pagesAsked },
  { name: "sorted, 50,000", query: "sortBy=-.metadata.creationTimestamp,.metadata.uid&limit=50000" },
]

const podForms: readonly Phase[] = [
  { name: "first field", query: "fieldSelector=spec.nodeName%3Dnode-1", count: 1 },
  { name: "field by value", query: "fieldSelector=spec.nodeName%3Dnode-1" },
  { name: "field not of a value", query: "fieldSelector=status.phase!%3DFailed" },
]

const dataDir = mkdtempSync(join(tmpdir(), "bench-pauses-"))
process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }))
const serverOptions = { store: "lmdb", dataDir, options: ["--vendor=kubernetes", "--feature-gates=WatchList=true"] } as const
await fill()
// A server that has just started has only stored values.
const server = await startServerProcess(serverOptions)
const load = openLoad(server)
const client = openHttp2Client(server)
const all = createHistogram()
await phase("nothing else", () => setTimeout(seconds * 1000))
const podsPath = "/api/v1/namespaces/pauses/pods"
for (const form of [...forms, ...podForms]) await listed(`pods: ${form.name}`, podsPath, form)
await watched("pods", podsPath, pods)
for (const form of forms) await listed(`configmaps: ${form.name}`, configMapsIn("pauses"), form)
await watched("configmaps", configMapsIn("pauses"), objects)
report("all together", all, rounds)
client.close()
load.close()
await server.stop()

async function fill(): Promise<void> {
  const filled = await startServerProcess(serverOptions)
  const writers = openLoad(filled)
  await makeNamespaces(writers, "pauses")
  await createConfigMaps(filled, writers, { namespace: "pauses", count: objects, bytes })
  await measured(filled, writers, {
    method: "POST",
    path: "/api/v1/namespaces/pauses/pods",
    body: podBody(),
    contentType: "application/json",
    clients: 64,
    count: pods,
    buckets: nodes,
  })
  writers.close()
  await filled.stop()
}

async function listed(name: string, path: string, { name: _name, query, ...plan }: Phase): Promise<void> {
  const full = query === undefined ? path : `${path}?${query}`
  await phase(name, () => measured(server, load, { method: "GET", path: full, clients: 1, count: rounds, ...plan }))
}

async function watched(name: string, path: string, count: number): Promise<void> {
  const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
  await phase(`${name}: watch from the beginning`, async () => {
    await load.watch({ path: `${path}?${query}`, watchers: 1, connections: 1 })
    while ((await load.watchFigures()).initialised === 0) await setTimeout(100)
    const { events } = await load.watchFigures()
    await load.endWatches()
    if (events < count) throw new Error(`the watch of ${name} began with ${events} objects, there are ${count}`)
  })
}

/** Gets one object repeatedly until `other` is done. */
async function phase(name: string, other: () => Promise<unknown>): Promise<void> {
  if (!name.includes(only)) return
  const waits = createHistogram()
  const started = performance.now()
  let otherSeconds = 0
  const done = other().then(() => {
    otherSeconds = (performance.now() - started) / 1000
  })
  while (otherSeconds === 0 || performance.now() - started < seconds * 1000) {
    const sent = performance.now()
    const { status } = await client.send({ method: "GET", path: `${configMapsIn("pauses")}/object-000000` })
    if (status !== 200) throw new Error(`a get was answered ${status}`)
    waits.record(performance.now() - sent)
    all.record(performance.now() - sent)
  }
  await done
  report(name, waits, otherSeconds)
}

function report(name: string, waits: Histogram, otherSeconds: number): void {
  printRow({
    beside: name,
    otherSeconds,
    gets: waits.count(),
    p50Ms: waits.percentile(0.5),
    p99Ms: waits.percentile(0.99),
    p999Ms: waits.percentile(0.999),
    maxMs: waits.maxMs(),
    goalMs,
    kept: waits.percentile(0.999) < goalMs,
    anonMb: memoryOf(server).anonMb,
  })
}

/** A pod of about 2 KB after schedulers and node agents have written it, on one of the nodes. */
function podBody(): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "pod-{index}", labels: { app: "bench", share: "s{bucket}", "pod-template-hash": "5d59d67564" } },
    spec: {
      nodeName: "node-{bucket}",
      containers: ["main", "side"].map((name) => ({
        name,
        image: `registry.example.org/bench/${name}:1.2.3`,
        args: ["--listen=0.0.0.0:8080", "--verbose"],
        env: Array.from({ length: 6 }, (_, index) => ({ name: `SETTING_${index}`, value: `value of ${index}` })),
        ports: [{ name: `http-${name}`, containerPort: name === "main" ? 8080 : 8081 }],
        resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
        readinessProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 5 },
        volumeMounts: [{ name: "config", mountPath: "/etc/bench" }],
      })),
      volumes: [{ name: "config", configMap: { name: "object-000000" } }],
    },
  })
}
