/**
 * Measures requests for `/metrics`: how many, how long, how large, and which are running. Names, labels and buckets are
 * as in kube-apiserver 1.30. Labels only take values that the server knows, and `meteredResourcesMax` bounds the
 * resources, so the number of series is bounded. A request costs a look-up of its kind, a few comparisons and
 * additions: no text is built before a scrape.
 */
import { STATUS_CODES } from "node:http"
import type { Kind } from "../schema/kind.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { KindTable } from "../registry/kinds.ts"
import type { Vendor } from "../base/vendor.ts"
import { meteredResourcesMax } from "../base/limits.ts"
import { compareText } from "../registry/group-order.ts"
import type { HistogramSample } from "./histogram.ts"
import type { Metric } from "./metric.ts"
import { lines, objectiveFrom, secondsEnds, Spread, united } from "./spread.ts"

/** Verbs in the reference's spelling. A Map, because clients choose the method, for example `constructor`. */
const verbNames: ReadonlyMap<string, string> = new Map([
  ["get", "GET"],
  ["list", "LIST"],
  ["watch", "WATCH"],
  ["create", "POST"],
  ["post", "POST"],
  ["update", "PUT"],
  ["put", "PUT"],
  ["patch", "PATCH"],
  ["delete", "DELETE"],
  ["deletecollection", "DELETE"],
  ["head", "HEAD"],
  ["options", "OPTIONS"],
])

/** Sub-resources that connect a client with another machine, whatever the method. */
const connected = new Set(["proxy", "exec", "attach", "portforward"])

/** First segments of paths without a resource, and what the reference calls them. */
const roots: ReadonlyMap<string, string> = new Map(
  ["api", "apis", "healthz", "livez", "metrics", "openapi", "readyz", "version"].map((root) => [
    root,
    root.endsWith("z") ? `/${root}` : root,
  ]),
)

/** Upper ends of sizes in bytes. */
const byteEnds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

/** Requests that differ only in the status of their answers. */
interface Series extends RequestLabels {
  readonly codes: { readonly code: Code; count: number; ended: number }[]
  readonly seconds: Spread
  /** Only of reads. */
  readonly bytes: Spread | undefined
  /** Watches and connections that are open. */
  running: number
}

/** The series of one resource, or of requests without a resource. */
interface Metered {
  readonly labels: Pick<Kind, "group" | "resource" | "version">
  readonly series: Series[]
}

type Request = Pick<RequestContext, "info" | "query" | "headers">

/** Created once per server. */
export class RequestCounts {
  /**
   * Undefined: paths without a resource. A resource has few series, so a linear search is cheaper than building a key.
   * A definition that changes makes new kinds, which share the series of their resource.
   */
  private readonly ofKind = new WeakMap<Kind, Metered>()
  private readonly resources = new Map<string, Metered>()
  private readonly others: Metered = { labels: { group: "", resource: "", version: "" }, series: [] }

  constructor(
    private readonly kinds: KindTable,
    private readonly vendor: Vendor,
  ) {}

  /**
   * Called for every answered request, for a watch when it ends. `code` is the HTTP status, `bytes` the length of the
   * answer. `isEnded`: the server gave the request up to protect itself.
   */
  record(request: Request, code: number, { seconds = 0, bytes = 0, isEnded = false } = {}): void {
    const series = this.seriesOf(request)
    series.seconds.add(seconds)
    series.bytes?.add(bytes)
    const known = codeOf(code)
    for (const one of series.codes)
      if (one.code === known) {
        one.count++
        if (isEnded) one.ended++
        return
      }
    series.codes.push({ code: known, count: 1, ended: isEnded ? 1 : 0 })
  }

  /** Called when a watch or a connection begins. Returns a function for its end. */
  begins(request: Request): () => void {
    const series = this.seriesOf(request)
    series.running++
    return () => void series.running--
  }

  /** The requests by labels and status, sorted. */
  samples(): readonly (readonly [labels: string, count: number])[] {
    return this.ofCodes(({ count }) => count, 'component="apiserver",')
  }

  /** Returns the metrics, for `/metrics`. */
  metrics(): readonly Metric[] {
    const running = this.all().filter(([, { verb }]) => verb === "WATCH" || verb === "CONNECT")
    return [
      {
        name: "apiserver_longrunning_requests",
        type: "gauge",
        help: "Watches and connections to other machines that are open, by verb, group, version, resource, scope and component.",
        samples: running.map(([metered, series]) => [written(metered, series), series.running] as const),
      },
      {
        name: "apiserver_request_duration_seconds",
        type: "histogram",
        help: "Duration of requests in seconds by verb, dry run, group, version, resource, sub-resource, scope and component.",
        samples: each(this.all(), ([metered, series]) => lines(written(metered, series, series.dryRun), series.seconds)),
      },
      {
        name: "apiserver_request_sli_duration_seconds",
        type: "histogram",
        help: "Duration of requests in seconds by verb, group, version, resource, sub-resource, scope and component, for objectives.",
        samples: each([...this.byLabels()], ([labels, spreads]) => lines(labels, united(spreads), objectiveFrom)),
      },
      {
        name: "apiserver_request_terminations_total",
        type: "counter",
        help: "Requests that the server gave up to protect itself, by status.",
        samples: this.ofCodes(({ ended }) => ended).filter(([, ended]) => ended > 0),
      },
      {
        name: "apiserver_request_total",
        type: "counter",
        help: "Answered requests by verb, dry run, group, version, resource, sub-resource, scope, component and HTTP status.",
        samples: this.samples(),
      },
      {
        name: "apiserver_response_sizes",
        type: "histogram",
        help: "Length of the answers to reads in bytes by verb, group, version, resource, sub-resource, scope and component.",
        samples: each(this.all(), ([metered, series]) =>
          series.bytes === undefined || series.dryRun !== "" ? [] : lines(written(metered, series), series.bytes),
        ),
      },
    ]
  }

  private seriesOf(request: Request): Series {
    const { info } = request
    const kind = info.isResource ? this.kinds.find(info.group, info.version, info.resource) : undefined
    const metered = kind === undefined ? this.others : (this.ofKind.get(kind) ?? this.take(kind))
    const verb = verbOf(request)
    const subresource = kind === undefined ? rootOf(info.path) : subresourceOf(kind, info.subresource)
    const scope =
      kind === undefined ? "" : info.name !== "" || info.verb === "create" ? "resource" : info.namespace !== "" ? "namespace" : "cluster"
    const dryRun = kind !== undefined && request.query.get("dryRun") === "All" ? "All" : ""
    for (const one of metered.series)
      if (one.verb === verb && one.scope === scope && one.subresource === subresource && one.dryRun === dryRun) return one
    const bytes = verb === "GET" || verb === "LIST" ? new Spread(byteEnds) : undefined
    const series: Series = { verb, scope, subresource, dryRun, codes: [], seconds: new Spread(secondsEnds), bytes, running: 0 }
    metered.series.push(series)
    return series
  }

  /** Called for a kind that is new, or a new form of one. Beyond the limit, requests count without their resource. */
  private take(kind: Kind): Metered {
    const labels = { group: this.vendor.group(kind.group), resource: kind.resource, version: kind.version }
    const key = `${labels.group}/${labels.version}/${labels.resource}`
    const known = this.resources.get(key)
    const metered = known ?? (this.resources.size < meteredResourcesMax ? { labels, series: [] } : this.others)
    if (known === undefined && metered !== this.others) this.resources.set(key, metered)
    this.ofKind.set(kind, metered)
    return metered
  }

  private all(): readonly (readonly [Metered, Series])[] {
    return [this.others, ...this.resources.values()].flatMap((metered) => metered.series.map((series) => [metered, series] as const))
  }

  private ofCodes(
    value: (code: Series["codes"][number]) => number,
    component?: string,
  ): readonly (readonly [labels: string, count: number])[] {
    const all = this.all().flatMap(([metered, series]) =>
      series.codes.map((code) => {
        const rest = component === undefined ? written(metered, series) : written(metered, series, series.dryRun)
        return [`code="${code.code}",${rest}`, value(code)] as const
      }),
    )
    return all.sort(([left], [right]) => compareText(left, right))
  }

  /** Durations by labels; dry runs are counted with the other requests. */
  private byLabels(): ReadonlyMap<string, readonly Spread[]> {
    const found = new Map<string, Spread[]>()
    for (const [metered, series] of this.all()) {
      const labels = written(metered, series)
      found.set(labels, [...(found.get(labels) ?? []), series.seconds])
    }
    return found
  }
}

/** The lines of one item after the other, made while they are written: making all at once would hold the event loop. */
function* each<T>(items: readonly T[], linesOf: (item: T) => readonly HistogramSample[]): Generator<HistogramSample> {
  // No waits: the text of the answer is written in turns.
  for (const item of items) yield* linesOf(item)
}

/** Labels in their written form, sorted; `dryRun` absent: the metric has no such label. */
function written({ labels: { group, resource, version } }: Metered, { scope, subresource, verb }: RequestLabels, dryRun?: string): string {
  const dry = dryRun === undefined ? "" : `dry_run="${dryRun}",`
  return `component="apiserver",${dry}group="${group}",resource="${resource}",scope="${scope}",subresource="${subresource}",verb="${verb}",version="${version}"`
}

/** A standard status; other statuses, which backends behind proxies may use, by their class: `4xx`. */
type Code = number | `${number}xx` | "other"

function codeOf(status: number): Code {
  if (STATUS_CODES[status] !== undefined) return status
  const hundred = Math.floor(status / 100)
  return hundred >= 1 && hundred <= 5 ? `${hundred}xx` : "other"
}

/** Labels that distinguish the requests for one resource. */
interface RequestLabels {
  readonly verb: string
  /** For a path without a resource: its first segment, if known. */
  readonly subresource: string
  readonly scope: string
  readonly dryRun: string
}

function verbOf({ info, headers }: Request): string {
  if (info.subresource !== "" && connected.has(info.subresource)) return "CONNECT"
  if (info.verb === "patch" && headers["content-type"]?.startsWith("application/apply-patch") === true) return "APPLY"
  return verbNames.get(info.verb) ?? "OTHER"
}

function rootOf(path: string): string {
  const end = path.indexOf("/", 1)
  return roots.get(end < 0 ? path.slice(1) : path.slice(1, end)) ?? ""
}

function subresourceOf({ subresources }: Kind, asked: string): string {
  if (asked === "") return ""
  for (const { name } of subresources) if (name === asked) return name
  return ""
}
