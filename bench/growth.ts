/**
 * Does the cost of a verb grow with the number of objects, from 1,000 to 300,000? The server's CPU and the time until
 * 99 of 100 requests were answered, for one object, a page of 500, 100 objects by their namespace and by a label, one
 * hundredth of all objects, and a new watch.
 * Run: npm run bench -- growth
 */
import { configMapBody, configMapsIn, createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import { measured, openLoad } from "./support/load.ts"
import type { RequestPlan } from "./support/load-plans.ts"
import { openOptions } from "./support/options.ts"
import { cpuSeconds, residentMb, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const sizes = options.numbers("sizes", { small: [1000, 4000], full: [1000, 10_000, 100_000, 300_000] })
const bytes = options.number("bytes", { small: 1024, full: 1024 })
const clients = options.number("clients", { small: 16, full: 16 })
const requests = options.number("requests", { small: 500, full: 5000 })
const watches = options.number("watches", { small: 100, full: 1000 })
options.done()

const collection = configMapsIn("growth")
const one = `${collection}/object-{index}`
const merge = "application/merge-patch+json"
const apply = "application/apply-patch+yaml"
/** Indexes far apart, in no order. */
const stride = 7919

/** In this order, since each plan's effects on the cache are the starting point of the next. */
function plans(objects: number): Readonly<Record<string, RequestPlan>> {
  const each = { clients, count: requests, stride, modulo: objects, buckets: 100 }
  // Reads of many objects cost a hundred times as much as reads of one.
  const many = { clients, count: Math.ceil(requests / 25), buckets: 100 }
  const json = { contentType: "application/json" }
  const extra = { clients, count: requests, first: 900_000, buckets: 100 }
  return {
    get: { ...each, method: "GET", path: one },
    "get, any version": { ...each, method: "GET", path: `${one}?resourceVersion=0` },
    create: { ...extra, ...json, method: "POST", path: collection, body: configMapBody("object-{index}", bytes) },
    update: { ...each, ...json, method: "PUT", path: one, body: configMapBody("object-{index}", bytes) },
    "merge patch": { ...each, method: "PATCH", path: one, contentType: merge, body: '{"data":{"stamp":"{now}"}}' },
    apply: {
      ...each,
      method: "PATCH",
      path: `${one}?fieldManager=growth&force=true`,
      contentType: apply,
      body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"object-{index}"},"data":{"stamp":"{now}"}}',
    },
    delete: { ...extra, method: "DELETE", path: one },
    "first page of 500": { ...many, method: "GET", path: `${collection}?limit=500` },
    "all pages of 500": {
      ...many,
      clients: 2,
      count: Math.max(many.count, (2 * objects) / 500),
      method: "GET",
      path: `${collection}?limit=500`,
      pages: true,
    },
    "list of 100 in their namespace": { ...many, method: "GET", path: configMapsIn("hundred") },
    "list by name": {
      ...each,
      method: "GET",
      path: `${collection}?fieldSelector=metadata.name%3Dobject-{index}`,
    },
    // The first list builds the index, which must not count for the others.
    "first list by label": { ...many, clients: 1, count: 1, method: "GET", path: `${collection}?labelSelector=app%3Dfew` },
    "list of 100 by label": { ...many, method: "GET", path: `${collection}?labelSelector=app%3Dfew` },
    "list, 1 in 100 by label": { ...many, method: "GET", path: `${collection}?labelSelector=share%3Ds{bucket}` },
  }
}

const server = await startServerProcess({ store: "lmdb" })
const load = openLoad(server)
await makeNamespaces(load, "growth")
await makeNamespaces(load, "hundred")
await createConfigMaps(server, load, { namespace: "hundred", count: 100, bytes })
await createConfigMaps(server, load, { namespace: "growth", count: 100, bytes, first: 800_000, app: "few" })
let made = 0
for (const objects of sizes) {
  await createConfigMaps(server, load, { namespace: "growth", count: objects - made, bytes, first: made })
  if (made === 0) await warmUp(objects)
  made = objects
  for (const [verb, plan] of Object.entries(plans(objects))) {
    const { cpuUs, p50Ms, p99Ms, perSecond } = await measured(server, load, plan)
    printRow({ objects, verb, cpuUs, p50Ms, p99Ms, perSecond })
  }
  await newWatches(objects)
  printRow({ objects, residentMb: residentMb(server) })
}
load.close()
await server.stop()

/** Runs every verb once without reporting it: otherwise the first size would pay for compilation. */
async function warmUp(objects: number): Promise<void> {
  for (const plan of Object.values(plans(objects))) await measured(server, load, plan)
}

/** Watches that begin at the newest version, as informers do after their list. */
async function newWatches(objects: number): Promise<void> {
  const { versions } = await load.requests({ method: "GET", path: `${collection}?limit=1`, clients: 1, count: 1, keepsVersions: true })
  const cpu = cpuSeconds(server.pid)
  const started = performance.now()
  const path = `${collection}?watch=1&resourceVersion=${versions[0]?.[0] ?? 0}`
  await load.watch({ path, watchers: watches, connections: Math.ceil(watches / 100) })
  const seconds = (performance.now() - started) / 1000
  printRow({
    objects,
    verb: "watch opened",
    cpuUs: ((cpuSeconds(server.pid) - cpu) / watches) * 1e6,
    p50Ms: null,
    p99Ms: null,
    perSecond: watches / seconds,
  })
  await load.endWatches()
}
