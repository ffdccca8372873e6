/** Measures the work queues of controllers under the names that the reference's dashboards know (`workqueue_*`). */
import type { Clock } from "../base/clock.ts"
import { Histogram } from "./histogram.ts"

/** From ten nanoseconds to ten seconds, as in the reference. */
const buckets = Array.from({ length: 10 }, (_, index) => Number(`1e${index - 8}`))
/** More than there are queues. */
const queuesMax = 64

interface Counts {
  depth: number
  adds: number
  retries: number
  /** When the keys that are being processed were taken. */
  readonly running: Set<{ readonly sinceMs: number }>
}

/** Created once per server. */
export class WorkQueueMetrics {
  readonly waits = new Histogram({ buckets, seriesMax: queuesMax })
  readonly works = new Histogram({ buckets, seriesMax: queuesMax })
  private readonly queues = new Map<string, Counts>()

  constructor(private readonly clock: Clock) {}

  /**
   * The meter of a queue, which it calls for each of its keys. Counts go on when a queue is created again; keys that
   * waited in the old queue are forgotten.
   */
  meterOf(queue: string): { added(): void; begun(waitedMs: number): () => void; retried(): void } {
    const { waits, works, clock } = this
    const before = this.queues.get(queue)
    const counts: Counts = { depth: 0, adds: before?.adds ?? 0, retries: before?.retries ?? 0, running: new Set() }
    this.queues.set(queue, counts)
    const labels = `name="${queue}"`
    return {
      added() {
        counts.adds++
        counts.depth++
      },
      begun(waitedMs) {
        counts.depth--
        waits.observe(labels, waitedMs / 1000)
        const work = { sinceMs: clock.elapsedMs() }
        counts.running.add(work)
        return () => {
          counts.running.delete(work)
          works.observe(labels, (clock.elapsedMs() - work.sinceMs) / 1000)
        }
      },
      retried: () => {
        counts.retries++
      },
    }
  }

  /** By the name of the queue; times in seconds. Called per scrape. */
  samples(): readonly {
    readonly labels: string
    readonly depth: number
    readonly adds: number
    readonly retries: number
    readonly unfinished: number
    readonly longest: number
  }[] {
    const nowMs = this.clock.elapsedMs()
    return [...this.queues].map(([queue, { depth, adds, retries, running }]) => {
      const seconds = [...running].map(({ sinceMs }) => (nowMs - sinceMs) / 1000)
      const unfinished = seconds.reduce((sum, one) => sum + one, 0)
      return { labels: `name="${queue}"`, depth, adds, retries, unfinished, longest: Math.max(0, ...seconds) }
    })
  }
}
