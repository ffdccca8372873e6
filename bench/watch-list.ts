/**
 * How much memory do many informers take that all begin at once, with lists streamed through watches
 * (sendInitialEvents), over 400 objects of 1 MB? The setup of KEP-3157 (perf-tests, testing/watch-list), where 16
 * informers that listed killed a server, and 1,024 that streamed did not, at 2 GB.
 * Run: npm run bench -- watch-list
 */
import { setTimeout } from "node:timers/promises"
import { configMapsIn, createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import { openLoad } from "./support/load.ts"
import type { WatchFigures } from "./support/load-plans.ts"
import { openOptions } from "./support/options.ts"
import { cpuSeconds, forgetPeak, peakMb, residentMb, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const objects = options.number("objects", { small: 40, full: 400 })
const bytes = options.number("bytes", { small: 1_000_000, full: 1_000_000 })
const informers = options.numbers("informers", { small: [4, 16], full: [16, 64, 256] })
const limitSeconds = options.number("limit-seconds", { small: 120, full: 900 })
options.done()

const sampleMs = 100

const server = await startServerProcess({ store: "lmdb", options: ["--feature-gates=WatchList=true"] })
const load = openLoad(server)
await makeNamespaces(load, "watch-list")
await createConfigMaps(server, load, { namespace: "watch-list", count: objects, bytes, clients: 4 })
for (const watchers of informers) {
  const before = residentMb(server)
  const cpu = cpuSeconds(server.pid)
  forgetPeak(server)
  const started = performance.now()
  await load.watch({
    path: `${configMapsIn("watch-list")}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    watchers,
    connections: watchers,
  })
  const { events, bytes: received, resumed, faults } = await allInitialised(watchers)
  const seconds = (performance.now() - started) / 1000
  await load.endWatches()
  printRow({
    objects,
    bytes,
    informers: watchers,
    seconds,
    events,
    expectedEvents: watchers * objects,
    ended: resumed,
    faults: faults.length,
    megabytesPerSecond: received / seconds / 1e6,
    cpuSeconds: cpuSeconds(server.pid) - cpu,
    beforeMb: before,
    peakMb: peakMb(server),
  })
}
load.close()
await server.stop()

/** Polls until every informer has received the end of its initial events. */
async function allInitialised(watchers: number): Promise<WatchFigures> {
  const deadline = performance.now() + limitSeconds * 1000
  for (;;) {
    const figures = await load.watchFigures()
    if (figures.initialised >= watchers) return figures
    if (performance.now() > deadline) throw new Error(`after ${limitSeconds} s only ${figures.initialised} of ${watchers} had everything`)
    await setTimeout(sampleMs)
  }
}
