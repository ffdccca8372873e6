/** `/metrics`: the process and its requests, in the Prometheus text format 0.0.4. */
import type { Clock } from "../base/clock.ts"
import { Turns } from "../base/turns.ts"
import type { ConversionMetrics } from "./conversion-metrics.ts"
import type { InFlightRequests } from "./in-flight.ts"
import type { LoopDelays } from "./loop-delay.ts"
import { gauge, type Metric } from "./metric.ts"
import { processMetrics } from "./process-metrics.ts"
import type { RequestCounts } from "./request-counts.ts"
import type { StoreLatencies } from "./store-metrics.ts"
import type { WorkQueueMetrics } from "./work-queue-metrics.ts"

export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8"

/** The latest results of `controllers/storage-metrics.ts`. */
export interface StorageMeasures {
  readonly objects: Map<string, number>
  readonly bytes: Map<string, number>
}

/** Measurements of the watch cache. */
export interface WatchCacheMeasures {
  /** Number of objects of each filled resource, by storage path. */
  objects(): readonly { readonly resource: string; readonly count: number }[]
  /** Comparisons with the store so far, by storage path and result. */
  checks(): readonly { readonly resource: string; readonly success: number; readonly failure: number; readonly error: number }[]
  /** A stored value that cannot be decoded; for `/readyz?verbose`. */
  undecodable(): { readonly message: string } | undefined
  /** Bytes of encodings derived from cached objects. */
  derivedBytes(): number
}

/** Counts of audit events. */
export interface AuditMeasures {
  readonly events: number
  readonly rejected: number
  readonly levels: readonly (readonly [level: string, count: number])[]
  readonly errors: readonly (readonly [plugin: string, count: number])[]
}

interface Sources {
  readonly access: { metrics(): readonly Metric[] }
  /** Absent: no request is recorded. */
  readonly audit?: AuditMeasures | undefined
  readonly loop: { take(): LoopDelays }
  readonly inFlight: Pick<InFlightRequests, "seats">
  readonly counts: Pick<RequestCounts, "metrics">
  readonly storeLatencies: Pick<StoreLatencies, "metrics">
  /** The fields of `/version`, and the word of the vendor. */
  readonly build: { readonly word: string; readonly version: Readonly<Record<string, string>> }
  readonly conversions: Pick<ConversionMetrics, "durations" | "results">
  readonly watchCache: Pick<WatchCacheMeasures, "checks" | "derivedBytes">
  readonly storage: StorageMeasures
  readonly workQueues: Pick<WorkQueueMetrics, "samples" | "waits" | "works">
  readonly clock: Clock
}

/** Returns the response body. Called per request. There may be a hundred thousand lines: takes turns. */
export async function metricsText(options: Sources): Promise<string> {
  return textOf([...metricsOf(options), ...(await processMetrics())])
}

/** Returns metrics in the text format. */
export async function textOf(metrics: readonly Metric[]): Promise<string> {
  const turns = new Turns()
  const texts: string[] = []
  for (const { name, type, help, samples } of metrics) {
    texts.push(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`)
    for (const [labels, value, suffix = ""] of samples) {
      texts.push(`${name}${suffix}${labels === "" ? "" : `{${labels}}`} ${value}\n`)
      if (turns.isOver(lineWork)) await turns.next()
    }
  }
  return texts.join("")
}

/** Writing a line, in microseconds. */
const lineWork = 1

function metricsOf({
  access,
  audit,
  build,
  counts,
  conversions,
  inFlight,
  loop,
  watchCache,
  storage,
  storeLatencies,
  workQueues,
  clock,
}: Sources): readonly Metric[] {
  const { user, system } = process.cpuUsage()
  const memory = process.memoryUsage()
  const started = clock.nowMs() / 1000 - process.uptime()
  return [
    ...access.metrics(),
    ...auditMetrics(audit ?? noAudit),
    ...conversionMetrics(conversions),
    {
      name: "apiserver_current_inflight_requests",
      type: "gauge",
      help: "Requests in flight that count against --max-requests-inflight and --max-mutating-requests-inflight.",
      samples: [
        ['request_kind="mutating"', inFlight.seats.mutating],
        ['request_kind="readOnly"', inFlight.seats.readOnly],
      ],
    },
    ...counts.metrics(),
    {
      name: "apiserver_storage_consistency_checks_total",
      type: "counter",
      help: "Comparisons of the watch cache with the store by storage path and outcome; after a failure the resource was read again.",
      samples: watchCache
        .checks()
        .flatMap((counts) => outcomes.map((status) => [`resource="${counts.resource}",status="${status}"`, counts[status]] as const)),
    },
    {
      name: "apiserver_storage_objects",
      type: "gauge",
      help: "Stored objects by resource at the time of the last count; -1 when they could not be counted.",
      samples: [...storage.objects].map(([resource, count]) => [`resource="${resource}"`, count] as const),
    },
    {
      name: "apiserver_storage_size_bytes",
      type: "gauge",
      help: "Size of the store in bytes at the time of the last measurement.",
      samples: [...storage.bytes].map(([cluster, bytes]) => [`storage_cluster_id="${cluster}"`, bytes] as const),
    },
    gauge("apiserver_watch_cache_derived_bytes", "Memory of encodings made from cached objects in bytes.", watchCache.derivedBytes()),
    ...storeLatencies.metrics(),
    buildInfo(build),
    ...loopGauges(loop.take()),
    gauge("nodejs_external_memory_bytes", "Memory of buffers outside the JavaScript heap in bytes.", memory.external),
    gauge("nodejs_heap_size_total_bytes", "Size of the JavaScript heap in bytes.", memory.heapTotal),
    gauge("nodejs_heap_size_used_bytes", "Used part of the JavaScript heap in bytes.", memory.heapUsed),
    {
      name: "process_cpu_seconds_total",
      type: "counter",
      help: "User and system CPU time spent in seconds.",
      samples: [["", (user + system) / 1e6]],
    },
    gauge("process_resident_memory_bytes", "Resident memory size in bytes.", memory.rss),
    gauge("process_start_time_seconds", "Start time of the process in seconds since the epoch.", started),
    ...queueMetrics(workQueues),
  ]
}

const noAudit: AuditMeasures = { events: 0, rejected: 0, levels: [], errors: [] }

/** The server's version and build, as labels of a constant. */
function buildInfo({ word, version }: Sources["build"]): Metric {
  const labels = Object.entries(version).map(
    ([name, value]) => `${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}="${value}"`,
  )
  return {
    name: `${word}_build_info`,
    type: "gauge",
    help: "Always 1; the labels say what the server was built from.",
    samples: [[labels.sort().join(","), 1]],
  }
}

function auditMetrics({ errors, events, levels, rejected }: AuditMeasures): readonly Metric[] {
  const counter = (name: string, help: string, samples: Metric["samples"]): Metric => ({
    name: `apiserver_audit_${name}_total`,
    type: "counter",
    help,
    samples,
  })
  return [
    counter(
      "error",
      "Audit events that were lost, by the part that lost them.",
      errors.map(([plugin, count]) => [`plugin="${plugin}"`, count] as const),
    ),
    counter("event", "Audit events that were made and passed to the backends.", [["", events]]),
    counter(
      "level",
      "Requests by the level that the audit policy gives them.",
      levels.map(([level, count]) => [`level="${level}"`, count] as const),
    ),
    counter("requests_rejected", "Requests that were refused because their first audit event could not be stored.", [["", rejected]]),
  ]
}

const outcomes = ["success", "failure", "error"] as const

function conversionMetrics({ durations, results }: Sources["conversions"]): readonly Metric[] {
  const ofResults = results.samples()
  return [
    {
      name: "apiserver_conversion_webhook_duration_seconds",
      type: "histogram",
      help: "Duration of calls to conversion hooks in seconds, by result.",
      samples: ofResults,
    },
    {
      name: "apiserver_conversion_webhook_request_total",
      type: "counter",
      help: "Calls to conversion hooks by result, and by the sort of failure.",
      samples: ofResults.filter(([, , suffix]) => suffix === "_count").map(([labels, count]) => [labels, count] as const),
    },
    {
      name: "apiserver_crd_conversion_webhook_duration_seconds",
      type: "histogram",
      help: "Duration of conversions by hooks in seconds, by definition, versions and whether they succeeded.",
      samples: durations.samples(),
    },
  ]
}

function queueMetrics(workQueues: Sources["workQueues"]): readonly Metric[] {
  const { waits, works } = workQueues
  const queues = workQueues.samples()
  const one = (name: string, type: Metric["type"], help: string, value: (queue: (typeof queues)[number]) => number): Metric => ({
    name: `workqueue_${name}`,
    type,
    help,
    samples: queues.map((queue) => [queue.labels, value(queue)] as const),
  })
  return [
    one("adds_total", "counter", "Keys that were added to the queue of a controller.", ({ adds }) => adds),
    one("depth", "gauge", "Keys that wait in the queue of a controller.", ({ depth }) => depth),
    one("longest_running_processor_seconds", "gauge", "Time that the oldest running work has taken in seconds.", ({ longest }) => longest),
    {
      name: "workqueue_queue_duration_seconds",
      type: "histogram",
      help: "Time that a key waited in the queue in seconds.",
      samples: waits.samples(),
    },
    one("retries_total", "counter", "Keys that were queued again after a failure.", ({ retries }) => retries),
    one("unfinished_work_seconds", "gauge", "Time that running work has taken so far in seconds.", ({ unfinished }) => unfinished),
    {
      name: "workqueue_work_duration_seconds",
      type: "histogram",
      help: "Time that the work on a key took in seconds.",
      samples: works.samples(),
    },
  ]
}

/** The names that dashboards for node use. */
function loopGauges({ min, max, mean, p50, p90, p99 }: LoopDelays): readonly Metric[] {
  const one = (which: string, value: number): Metric =>
    gauge(
      `nodejs_eventloop_lag_${which}_seconds`,
      `Delay of the event loop in seconds since the scrape before the last one: ${which}.`,
      value,
    )
  return [one("max", max), one("mean", mean), one("min", min), one("p50", p50), one("p90", p90), one("p99", p99)]
}
