/**
 * What does a list cost whose selector matches nothing, once a second, among 300,000 objects of 1 KB? The setup of
 * KEP-2340, where a server that read the store for each list needed 10.5 s and 7 cores, and one that read its cache
 * 0.50 s and 0.63 cores.
 * Run: npm run bench -- selector
 */
import { configMapsIn, createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import { measured, openLoad } from "./support/load.ts"
import { openOptions } from "./support/options.ts"
import { residentMb, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const objects = options.number("objects", { small: 20_000, full: 300_000 })
const bytes = options.number("bytes", { small: 1024, full: 1024 })
const lists = options.number("lists", { small: 5, full: 30 })
options.done()

const server = await startServerProcess({ store: "lmdb" })
const load = openLoad(server)
await makeNamespaces(load, "selector")
await createConfigMaps(server, load, { namespace: "selector", count: objects, bytes })
for (const [selector, query] of Object.entries({
  label: "labelSelector=app%3Dnobody",
  field: "fieldSelector=metadata.name%3Dnobody",
})) {
  for (const [consistency, version] of Object.entries({ newest: "", any: "&resourceVersion=0" })) {
    const path = `${configMapsIn("selector")}?${query}${version}`
    // The first list reads the labels of every object; the others use the result.
    const first = await measured(server, load, { method: "GET", path, clients: 1, count: 1 })
    const { p50Ms, p99Ms, cores, cpuUs } = await measured(server, load, { method: "GET", path, clients: 4, count: lists, perSecond: 1 })
    printRow({
      objects,
      bytes,
      selector,
      consistency,
      firstMs: first.maxMs,
      firstCpuMs: first.cpuUs / 1000,
      p50Ms,
      p99Ms,
      cores,
      cpuMs: cpuUs / 1000,
      residentMb: residentMb(server),
    })
  }
}
load.close()
await server.stop()
