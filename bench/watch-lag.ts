/**
 * How late do events arrive at 100 watchers as the write rate rises, and what is the highest rate? The setups of
 * perf-tests (testing/write-throughput) and k0smotron (watch-churn), where the stores below a server were 5 to 50 s
 * behind. A rate of 0 is as fast as the writers can.
 * Run: npm run bench -- watch-lag
 */
import { createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import { openOptions } from "./support/options.ts"
import { startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"
import { openChurn } from "./support/churn.ts"

const options = openOptions()
const rates = options.numbers("rates", { small: [100, 200, 0], full: [50, 100, 200, 400, 600, 800, 1000, 0] })
const seconds = options.number("seconds", { small: 5, full: 20 })
const watchers = options.number("watchers", { small: 100, full: 100 })
const writers = options.number("writers", { small: 16, full: 16 })
const objects = options.number("objects", { small: 1000, full: 10_000 })
const bytes = options.number("bytes", { small: 1024, full: 1024 })
options.done()

const server = await startServerProcess({ store: "lmdb" })
const churn = openChurn(server)
await makeNamespaces(churn.writers, "churn-0")
await createConfigMaps(server, churn.writers, { namespace: "churn-0", count: objects, bytes })
for (const rate of rates) {
  const { writes, watches, cores, watcherCores, lost } = await churn.run({
    writers,
    watchers,
    objects,
    seconds,
    ...(rate > 0 && { perSecond: rate }),
  })
  printRow({
    watchers,
    askedPerSecond: rate,
    writesPerSecond: writes.count / writes.seconds,
    deliveriesPerSecond: watches.events / writes.seconds,
    lagP50Ms: watches.lagP50Ms,
    lagP99Ms: watches.lagP99Ms,
    lagMaxMs: watches.lagMaxMs,
    writeP50Ms: writes.p50Ms,
    writeP99Ms: writes.p99Ms,
    cores,
    watcherCores,
    resumed: watches.resumed,
    lost,
  })
}
churn.close()
await server.stop()
