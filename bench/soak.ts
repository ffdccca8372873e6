/**
 * Does the server stay as it is, and lose nothing, under 1,000 watchers, 200 writes a second and 300,000 objects for ten minutes? Every watcher's
 * events are compared with what was written to its namespace: each version once, in order, although watches end and are taken up again. Memory is
 * flat when the last third of the time needs as much as the one before; in less than ten minutes the five minutes of history that are kept are
 * still filling. `--namespaces=1` lets every watcher see every write. Run: npm run bench -- soak
 */
import { openChurn } from "./support/churn.ts"
import { createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import type { WatchFigures } from "./support/load-plans.ts"
import { openOptions } from "./support/options.ts"
import { peakMb, residentMb, startServerProcess } from "./support/server-process.ts"
import { tell } from "./support/tell.ts"

const options = openOptions()
const minutes = options.number("minutes", { small: 0.5, full: 10 })
const watchers = options.number("watchers", { small: 100, full: 1000 })
const perSecond = options.number("events", { small: 200, full: 200 })
const objects = options.number("objects", { small: 10_000, full: 300_000 })
const namespaces = options.number("namespaces", { small: 10, full: 10 })
const bytes = options.number("bytes", { small: 1024, full: 1024 })
const writers = options.number("writers", { small: 16, full: 16 })
const watchSeconds = options.number("watch-seconds", { small: 10, full: 120 })
options.done()

/** Between what two thirds of a flat run need: garbage comes and goes. */
const flatShare = 0.05
const samples: { readonly minute: number; readonly megabytes: number }[] = []

const server = await startServerProcess({ store: "lmdb" })
const churn = openChurn(server)
await makeNamespaces(churn.writers, "churn-{bucket}", namespaces)
await createConfigMaps(server, churn.writers, { namespace: "churn-{bucket}", count: objects, bytes, buckets: namespaces })
const filledMb = residentMb(server)
const started = performance.now()
const toldEvery = Math.max(minutes / 40, 1 / 60)
const figures = await churn.run({ writers, watchers, objects, namespaces, seconds: minutes * 60, perSecond, watchSeconds, each: sample })
tellVerdict()
churn.close()
await server.stop()

/** Each second into the verdict, now and then to those who look on. */
function sample(watches: WatchFigures): void {
  const minute = (performance.now() - started) / 60_000
  const told = samples.length === 0 || Math.floor(minute / toldEvery) > Math.floor((samples.at(-1)?.minute ?? 0) / toldEvery)
  samples.push({ minute, megabytes: residentMb(server) })
  if (told) tell({ minute, residentMb: residentMb(server), events: watches.events, lagP99Ms: watches.lagP99Ms, resumed: watches.resumed })
}

function tellVerdict(): void {
  const { writes, watches, lost, broken, cores, watcherCores } = figures
  for (const text of broken.slice(0, 10)) console.error(text)
  const third = Math.floor(samples.length / 3)
  const middleMb = median(samples.slice(third, 2 * third))
  const endMb = median(samples.slice(2 * third))
  tell({
    minutes,
    watchers,
    objects,
    namespaces,
    writes: writes.count,
    writesPerSecond: writes.count / writes.seconds,
    deliveries: watches.events,
    lost,
    brokenHistories: broken.length,
    resumed: watches.resumed,
    writeP99Ms: writes.p99Ms,
    lagP50Ms: watches.lagP50Ms,
    lagP99Ms: watches.lagP99Ms,
    cores,
    watcherCores,
    filledMb,
    middleMb,
    endMb,
    peakMb: peakMb(server),
    flat: endMb <= middleMb * (1 + flatShare),
    complete: lost === 0 && broken.length === 0,
  })
  if (lost > 0 || broken.length > 0) process.exitCode = 1
}

function median(of: readonly { readonly megabytes: number }[]): number {
  const sorted = of.map(({ megabytes }) => megabytes).toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
