/**
 * How fast do 10 clients create ConfigMaps, and list them in pages of 5,000, when there are 1,000 ... 256,000, and how
 * fast is one list of 1,000? The setup of rancher/dartboard (k6/k8s_api_benchmark.js), where a server on three
 * dedicated store machines made 471 creates a second, and 27 pages of 5,000.
 * Run: npm run bench -- config-maps
 */
import { configMapsIn, createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import { type Measured, measured, openLoad } from "./support/load.ts"
import { openOptions } from "./support/options.ts"
import { residentMb, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const sizes = options.numbers("sizes", { small: [1000, 4000], full: [1000, 4000, 16_000, 64_000, 256_000] })
const bytes = options.number("bytes", { small: 100, full: 100 })
const clients = options.number("clients", { small: 10, full: 10 })
const seconds = options.number("seconds", { small: 3, full: 10 })
options.done()

const server = await startServerProcess({ store: "lmdb" })
const load = openLoad(server)
await makeNamespaces(load, "config-maps")
await makeNamespaces(load, "thousand")
await createConfigMaps(server, load, { namespace: "thousand", count: 1000, bytes, clients })
let made = 0
for (const objects of sizes) {
  const creates = await createConfigMaps(server, load, { namespace: "config-maps", count: objects - made, bytes, clients, first: made })
  made = objects
  const pages = await measured(server, load, {
    method: "GET",
    path: `${configMapsIn("config-maps")}?limit=5000`,
    pages: true,
    clients,
    seconds,
  })
  const thousand = await measured(server, load, { method: "GET", path: configMapsIn("thousand"), clients, seconds })
  printRow({
    objects,
    createsPerSecond: creates.perSecond,
    createP50Ms: creates.p50Ms,
    createP95Ms: creates.p95Ms,
    createCpuUs: creates.cpuUs,
    ...listFigures("page", pages),
    ...listFigures("thousand", thousand),
    residentMb: residentMb(server),
  })
}
load.close()
await server.stop()

function listFigures(name: string, { perSecond, p50Ms, p95Ms, megabytesPerSecond }: Measured): Record<string, number> {
  return {
    [`${name}sPerSecond`]: perSecond,
    [`${name}P50Ms`]: p50Ms,
    [`${name}P95Ms`]: p95Ms,
    [`${name}MbPerSecond`]: megabytesPerSecond,
  }
}
