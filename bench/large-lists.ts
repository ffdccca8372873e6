/**
 * How much memory and CPU do lists of 10,000 objects of 100 KB take, a gigabyte each, as JSON, in the compact encoding
 * and as Tables, one at a time and several? The setup of perf-tests (clusterloader2/testing/list) and of KEP-5116,
 * where a server grew to 70-80 GB, and to 3 GB once it wrote lists item by item.
 * Run: npm run bench -- large-lists
 */
import { configMapsIn, createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import { measured, openLoad } from "./support/load.ts"
import { openOptions } from "./support/options.ts"
import { forgetPeak, peakMb, residentMb, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const objects = options.number("objects", { small: 500, full: 10_000 })
const bytes = options.number("bytes", { small: 100 * 1024, full: 100 * 1024 })
const together = options.numbers("together", { small: [1, 4], full: [1, 10] })
const rounds = options.number("rounds", { small: 2, full: 2 })
options.done()

const forms = {
  JSON: "application/json",
  compact: "application/vnd.kubernetes.protobuf",
  Table: "application/json;as=Table;v=v1;g=meta.k8s.io",
}

const server = await startServerProcess({ store: "lmdb", options: ["--vendor=kubernetes"] })
const load = openLoad(server)
await makeNamespaces(load, "large-lists")
await createConfigMaps(server, load, { namespace: "large-lists", count: objects, bytes, clients: 8 })
for (const [form, accept] of Object.entries(forms)) {
  for (const clients of together) {
    const before = residentMb(server)
    forgetPeak(server)
    const path = `${configMapsIn("large-lists")}?resourceVersion=0`
    const lists = await measured(server, load, { method: "GET", path, accept, clients, connections: clients, count: clients * rounds })
    printRow({
      objects,
      bytes,
      form,
      together: clients,
      p50Ms: lists.p50Ms,
      maxMs: lists.maxMs,
      cpuMs: lists.cpuUs / 1000,
      megabytesPerList: lists.bytes / lists.count / 1e6,
      megabytesPerSecond: lists.megabytesPerSecond,
      beforeMb: before,
      peakMb: peakMb(server),
    })
  }
}
load.close()
await server.stop()
