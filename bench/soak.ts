/**
 * Does the server stay stable, and lose nothing, under 1,000 watchers, 200 writes a second and 300,000 objects for
 * twenty minutes? Every watcher's events are compared with the writes to its namespace: each version once, in order,
 * although watches end and are resumed. Memory is reported every minute by its parts: what the process itself holds
 * (`anonMb`), pages of the store's file (`fileMb`), which the kernel takes back when it needs them and which grow with
 * the history that the store keeps, the JavaScript heap and the buffers outside it. Memory is stable when the minimum
 * of each minute that the process itself holds does not rise any more after ten minutes, twice the length of the
 * history; a shorter run says nothing about that. `--namespaces=1` lets every watcher see every write.
 * Run: npm run bench -- soak
 */
import { openChurn } from "./support/churn.ts"
import { createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import type { WatchFigures } from "./support/load-plans.ts"
import { openOptions } from "./support/options.ts"
import { heapOf, memoryOf, peakMb, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const minutes = options.number("minutes", { small: 0.5, full: 20 })
const watchers = options.number("watchers", { small: 100, full: 1000 })
const perSecond = options.number("events", { small: 200, full: 200 })
const objects = options.number("objects", { small: 10_000, full: 300_000 })
const namespaces = options.number("namespaces", { small: 10, full: 10 })
const bytes = options.number("bytes", { small: 1024, full: 1024 })
const writers = options.number("writers", { small: 16, full: 16 })
const watchSeconds = options.number("watch-seconds", { small: 10, full: 120 })
options.done()

/**
 * Time in which caches, histories and the heap still fill. Five minutes of history come first; while the next five
 * replace them, freed memory is reused in pieces, and heap and buffers grow until the next full collections (300,000
 * objects, 200 writes a second: 1,289 MB after seven minutes, 1,319 after ten and after fifteen).
 */
const warmUpMinutes = 10
/** Permitted rise of the memory minimum per minute, by linear regression: a collection that runs late is not a leak. */
const risePerMinuteMaxMb = 4
const samples: Sample[] = []

interface Sample {
  readonly minute: number
  readonly anonMb: number
}

const server = await startServerProcess({ store: "lmdb" })
const churn = openChurn(server)
await makeNamespaces(churn.writers, "churn-{bucket}", namespaces)
await createConfigMaps(server, churn.writers, { namespace: "churn-{bucket}", count: objects, bytes, buckets: namespaces })
const filled = memoryOf(server)
const started = performance.now()
let toldMinute = -1
const figures = await churn.run({ writers, watchers, objects, namespaces, seconds: minutes * 60, perSecond, watchSeconds, each: sample })
tellVerdict()
churn.close()
await server.stop()

/** Every second counts for the verdict; every minute is printed. */
function sample(watches: WatchFigures): void {
  const minute = (performance.now() - started) / 60_000
  const memory = memoryOf(server)
  samples.push({ minute, anonMb: memory.anonMb })
  if (Math.floor(minute) === toldMinute) return
  toldMinute = Math.floor(minute)
  void heapOf(server).then((heap) =>
    printRow({ minute, ...memory, ...heap, events: watches.events, lagP99Ms: watches.lagP99Ms, resumed: watches.resumed }),
  )
}

function tellVerdict(): void {
  const { writes, watches, lost, broken, cores, watcherCores } = figures
  for (const text of broken.slice(0, 10)) console.error(text)
  const risePerMinuteMb = riseOf(lowestOfMinutes(samples.filter(({ minute }) => minute >= warmUpMinutes)))
  const flat = risePerMinuteMb === undefined ? null : risePerMinuteMb <= risePerMinuteMaxMb
  printRow({
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
    filledAnonMb: filled.anonMb,
    filledFileMb: filled.fileMb,
    endAnonMb: samples.at(-1)?.anonMb ?? null,
    peakMb: peakMb(server),
    risePerMinuteMb: risePerMinuteMb ?? null,
    flat,
    complete: lost === 0 && broken.length === 0,
  })
  if (lost > 0 || broken.length > 0 || flat === false) process.exitCode = 1
}

function lowestOfMinutes(of: readonly Sample[]): Sample[] {
  const lowest = new Map<number, Sample>()
  for (const each of of) {
    const minute = Math.floor(each.minute)
    if (each.anonMb < (lowest.get(minute)?.anonMb ?? Number.POSITIVE_INFINITY)) lowest.set(minute, each)
  }
  return [...lowest.values()]
}

/** Slope of the least-squares line; undefined for fewer than three samples. */
function riseOf(of: readonly Sample[]): number | undefined {
  if (of.length < 3) return undefined
  const mean = (value: (each: Sample) => number): number => of.reduce((sum, each) => sum + value(each), 0) / of.length
  const [meanMinute, meanMb] = [mean(({ minute }) => minute), mean(({ anonMb }) => anonMb)]
  const together = of.reduce((sum, { minute, anonMb }) => sum + (minute - meanMinute) * (anonMb - meanMb), 0)
  return together / of.reduce((sum, { minute }) => sum + (minute - meanMinute) ** 2, 0)
}
