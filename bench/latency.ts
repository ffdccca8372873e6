/**
 * How long do 16 writers wait for a create on lmdb, and 100 watchers for 200 events a second? The goal is less than 10
 * ms for 99 of 100, of each. Beside the events a plain file is written and flushed as often: where that stalls, so does
 * every store on that disk.
 * Run: npm run bench -- latency
 */
import { openChurn } from "./support/churn.ts"
import { createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import { startDiskProbe } from "./support/disk-probe.ts"
import { openOptions } from "./support/options.ts"
import { startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const creates = options.number("creates", { small: 4000, full: 40_000 })
const writers = options.number("writers", { small: 16, full: 16 })
const bytes = options.number("bytes", { small: 1024, full: 1024 })
const watchers = options.number("watchers", { small: 100, full: 100 })
const perSecond = options.number("events", { small: 200, full: 200 })
const seconds = options.number("seconds", { small: 5, full: 60 })
options.done()

const goalMs = 10
/** Creates before the measurement: about as many as it takes to compile their code. */
const warmUp = 20_000
/**
 * Seconds of events before the measurement. During the first half second, most of the latency is the watching process
 * compiling its own code.
 */
const warmUpSeconds = 5

const server = await startServerProcess({ store: "lmdb" })
const churn = openChurn(server)
await makeNamespaces(churn.writers, "churn-0")
await createConfigMaps(server, churn.writers, { namespace: "churn-0", count: warmUp, bytes, clients: writers })
const created = await createConfigMaps(server, churn.writers, {
  namespace: "churn-0",
  count: creates,
  bytes,
  clients: writers,
  first: warmUp,
})
printRow({
  asked: `create, ${writers} writers`,
  perSecond: created.perSecond,
  p50Ms: created.p50Ms,
  p99Ms: created.p99Ms,
  maxMs: created.maxMs,
  goalMs,
  kept: created.p99Ms < goalMs,
})
const plan = { writers, watchers, objects: 1000, perSecond }
await churn.run({ ...plan, seconds: warmUpSeconds })
const watching = startDiskProbe(perSecond)
const { writes, watches, lost } = await churn.run({ ...plan, seconds })
const flushes = await watching.stop()
if (lost > 0) throw new Error(`${lost} events did not arrive`)
printRow({
  asked: `event, ${watchers} watchers`,
  perSecond: writes.count / writes.seconds,
  p50Ms: watches.lagP50Ms,
  p99Ms: watches.lagP99Ms,
  maxMs: watches.lagMaxMs,
  goalMs,
  kept: watches.lagP99Ms < goalMs,
})
// A write of 12 KB and its flush: no commit at the same moment can do better.
printRow({
  asked: "the disk alone, beside the events",
  p50Ms: flushes.percentile(0.5),
  p99Ms: flushes.percentile(0.99),
  maxMs: flushes.maxMs(),
})
churn.close()
await server.stop()
