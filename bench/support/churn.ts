/**
 * Runs writers and watchers on the same objects, in one process each, and verifies that every watcher got every write
 * once and in order.
 */
import { setTimeout } from "node:timers/promises"
import { configMapsIn } from "./config-maps.ts"
import { type Load, openLoad } from "./load.ts"
import { type History, nextSum, type RequestFigures, type WatchFigures } from "./load-plans.ts"
import { cpuSeconds, type ServerProcess } from "./server-process.ts"

export interface ChurnPlan {
  readonly writers: number
  readonly watchers: number
  /** `object-NNNNNN` in the existing namespaces `churn-N`: object i is in namespace i modulo `namespaces`. */
  readonly objects: number
  /** Each watcher watches one of them. One when absent: every watcher sees every write. */
  readonly namespaces?: number
  readonly seconds: number
  /** As fast as the writers can when absent. */
  readonly perSecond?: number
  /**
   * Connections of the watchers. One for each 50 when absent: few clients hold more watches on one connection than a
   * server's usual limit of 250.
   */
  readonly connections?: number
  /** As in `WatchPlan`. */
  readonly watchSeconds?: number
  /** Called about once a second while it runs. */
  readonly each?: (watches: WatchFigures) => void
}

export interface ChurnFigures {
  readonly writes: RequestFigures
  readonly watches: WatchFigures
  /** Average number of cores that the server, and the watchers, kept busy. */
  readonly cores: number
  readonly watcherCores: number
  /** Events that were not delivered within a minute after the last write. */
  readonly lost: number
  /** Descriptions of the watchers whose history differs from the writes to their namespace; must be empty. */
  readonly broken: readonly string[]
}

export interface Churn {
  /** The writers' process, also used to create the objects. */
  readonly writers: Load
  run(plan: ChurnPlan): Promise<ChurnFigures>
  close(): void
}

const settleMs = 60_000
const pollMs = 100
const eachMs = 1000
/**
 * Far apart, so that neighbours are not written one after the other. Coprime with every number of objects that is not a
 * multiple of it.
 */
const stride = 7919

/** Called once per server. */
export function openChurn(server: ServerProcess): Churn {
  const writers = openLoad(server)
  const watchers = openLoad(server)

  async function run(plan: ChurnPlan): Promise<ChurnFigures> {
    const { namespaces = 1, connections = Math.ceil(plan.watchers / 50), watchSeconds, each } = plan
    const path = `${configMapsIn("churn-{bucket}")}?watch=1&allowWatchBookmarks=true&resourceVersion=${await newestVersion(writers)}`
    await watchers.watch({
      path,
      watchers: plan.watchers,
      connections,
      buckets: namespaces,
      ...(watchSeconds !== undefined && { watchSeconds }),
    })
    const started = performance.now()
    const serverCpu = cpuSeconds(server.pid)
    const watcherCpu = watchers.cpuSeconds()
    const told = tellNowAndThen(watchers, each)
    const writes = await writeAll(writers, plan, namespaces)
    await told.stop()
    const expected = writes.versions.map((versions, bucket) => historyOf(versions, bucket))
    const watches = await settled(watchers, expected, plan.watchers)
    const seconds = (performance.now() - started) / 1000
    const figures = {
      writes,
      watches,
      cores: (cpuSeconds(server.pid) - serverCpu) / seconds,
      watcherCores: (watchers.cpuSeconds() - watcherCpu) / seconds,
      lost: wantedEvents(expected, plan.watchers) - watches.events,
      broken: brokenHistories(expected, watches),
    }
    await watchers.endWatches()
    return figures
  }

  return {
    writers,
    run,
    close() {
      writers.close()
      watchers.close()
    },
  }
}

async function writeAll(load: Load, { writers, objects, seconds, perSecond }: ChurnPlan, namespaces: number): Promise<RequestFigures> {
  const writes = await load.requests({
    method: "PATCH",
    path: `${configMapsIn("churn-{bucket}")}/object-{index}`,
    body: JSON.stringify({ data: { stamp: "{now}" } }),
    contentType: "application/merge-patch+json",
    clients: writers,
    seconds,
    ...(perSecond !== undefined && { perSecond }),
    stride,
    modulo: objects,
    buckets: namespaces,
    keepsVersions: true,
  })
  if (writes.failed > 0) throw new Error(`${writes.failed} writes failed, the first: ${writes.failure}`)
  return writes
}

/** The version at which all watches of a run begin. */
async function newestVersion(load: Load): Promise<number> {
  const { versions } = await load.requests({
    method: "GET",
    path: `${configMapsIn("churn-0")}?limit=1`,
    clients: 1,
    count: 1,
    keepsVersions: true,
  })
  return versions[0]?.[0] ?? 0
}

function tellNowAndThen(load: Load, each: ChurnPlan["each"]): { stop(): Promise<void> } {
  const end = new AbortController()
  async function loop(tellIt: (watches: WatchFigures) => void): Promise<void> {
    while (!end.signal.aborted) {
      await setTimeout(eachMs, undefined, { signal: end.signal }).catch(() => undefined)
      tellIt(await load.watchFigures())
    }
  }
  const looping = each === undefined ? Promise.resolve() : loop(each)
  return {
    stop() {
      end.abort()
      return looping
    },
  }
}

/** Waits until as many events have arrived as were written, or the time limit has passed. */
async function settled(load: Load, expected: readonly History[], watchers: number): Promise<WatchFigures> {
  const wanted = wantedEvents(expected, watchers)
  const deadline = performance.now() + settleMs
  for (;;) {
    const figures = await load.watchFigures()
    if (figures.events >= wanted || performance.now() > deadline) return figures
    await setTimeout(pollMs)
  }
}

/** Watchers are assigned to the namespaces round robin. */
function wantedEvents(expected: readonly History[], watchers: number): number {
  return Array.from({ length: watchers }, (_, watcher) => expected[watcher % expected.length]?.count ?? 0).reduce(
    (sum, count) => sum + count,
    0,
  )
}

/** The history of a watcher that got all of these versions. */
export function historyOf(versions: readonly number[], bucket: number): History {
  return { bucket, count: versions.length, last: versions.at(-1) ?? 0, sum: versions.reduce(nextSum, 0) }
}

/**
 * Descriptions of each watcher whose history differs from the writes to its namespace, after the faults that watchers
 * reported.
 */
export function brokenHistories(expected: readonly History[], { histories, faults }: Pick<WatchFigures, "histories" | "faults">): string[] {
  return [
    ...faults,
    ...histories.flatMap(({ bucket, count, sum }, watcher) => {
      const wanted = expected[bucket]
      if (wanted === undefined || (wanted.count === count && wanted.sum === sum)) return []
      return [`watcher ${watcher} of namespace ${bucket} has seen ${count} of ${wanted.count} versions, or not in their order`]
    }),
  ]
}
